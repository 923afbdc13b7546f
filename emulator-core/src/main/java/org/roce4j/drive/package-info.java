/**
 * Runs engines over ports: on the thread that posts, polls or waits, or on a background thread if
 * there is none; on the port's own thread if it has one. {@link org.roce4j.drive.DeviceDriver} is
 * the entry point, {@link org.roce4j.drive.DutyCycle} one turn.
 */
package org.roce4j.drive;
