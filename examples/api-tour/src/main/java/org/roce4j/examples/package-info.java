/**
 * The programs of {@code docs/messages.md}, {@link org.roce4j.examples.MessagesExample} and {@link
 * org.roce4j.examples.ThreadsExample}, and those of {@code docs/api-tour.md}: {@link
 * org.roce4j.examples.ReliableConnectionExample} and {@link org.roce4j.examples.MulticastExample}.
 */
package org.roce4j.examples;
