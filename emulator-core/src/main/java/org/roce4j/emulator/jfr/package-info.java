/**
 * Events of an engine in the JDK's flight recorder, category "RDMA": states of queue pairs,
 * retransmissions, drops.
 */
package org.roce4j.emulator.jfr;
