/**
 * Interprets a capture: what every packet is, whether its ICRC is right, and how it relates to the
 * packets before it — a retransmission, the packet after a gap, a late one.
 */
package org.roce4j.wire.inspect;
