/**
 * The engine itself: a datagram or a doorbell goes in, the queue pair that it concerns is found by
 * its number and takes its turn, trains come out. A state machine without I/O; a device has one or
 * several.
 */
package org.roce4j.engine;
