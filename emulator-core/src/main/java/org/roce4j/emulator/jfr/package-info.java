/**
 * Events of an engine in the JDK's flight recorder, category "RDMA": states of queue pairs,
 * retransmissions, drops; requests and completions where a recording asks for them.
 */
package org.roce4j.emulator.jfr;
