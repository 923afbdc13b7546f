/**
 * Reads a capture as a person does: what every packet is, whether its ICRC is right, and what it
 * means beside the packets before it — a retransmission, the packet after a gap, a late one.
 */
package org.roce4j.wire.inspect;
