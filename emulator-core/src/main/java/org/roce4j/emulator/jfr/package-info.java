/**
 * What happens in an engine as events of the JDK's flight recorder, category "RDMA": states of
 * queue pairs, retransmissions, drops.
 */
package org.roce4j.emulator.jfr;
