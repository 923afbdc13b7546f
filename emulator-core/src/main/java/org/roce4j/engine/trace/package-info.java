/** The interface to observers of an engine: events as plain numbers and texts. */
package org.roce4j.engine.trace;
