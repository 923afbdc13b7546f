/**
 * Who runs an engine over a port: the thread that posts, polls or waits, a loop thread of the
 * port's, or a background thread when nobody looks.
 */
package org.roce4j.drive;
