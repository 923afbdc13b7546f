/**
 * The programs of {@code docs/api-tour.md}: {@link org.roce4j.examples.ReliableConnectionExample}
 * and {@link org.roce4j.examples.MulticastExample}.
 */
package org.roce4j.examples;
