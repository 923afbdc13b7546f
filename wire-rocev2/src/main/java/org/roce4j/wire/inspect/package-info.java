/**
 * Interprets a capture: the kind of every packet, whether its ICRC is right, and its relation to
 * the packets before it, such as a retransmission, the packet after a gap, or a late one.
 */
package org.roce4j.wire.inspect;
