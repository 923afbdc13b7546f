/**
 * Who runs an engine over a port: the thread that posts, polls or waits, or a background thread
 * when none does; where the port belongs to a thread, that thread alone. {@link
 * org.roce4j.drive.DeviceDriver} is the door, {@link org.roce4j.drive.DutyCycle} one turn.
 */
package org.roce4j.drive;
