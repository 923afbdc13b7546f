/**
 * The RoCEv2 wire format: one class per header, one row per opcode, PSN arithmetic, the ICRC, and
 * the mapping between GIDs and IP addresses.
 *
 * <p>In the walk of a packet this is the door through which it leaves ({@link
 * org.roce4j.wire.OutboundPacket}) and enters ({@link org.roce4j.wire.InboundPacket}). The header
 * classes are static accessors over a {@link java.nio.ByteBuffer}; nothing here allocates per
 * packet, names a socket, a thread, a clock or a logger, and no bytes from the wire can cause an
 * exception.
 *
 * <p>Conventions: all lengths and offsets are bytes; {@code at} is the absolute index of the first
 * byte of the header (or, for a whole packet, of the BTH); buffer positions and limits are never
 * used to pass arguments; multi-byte fields are big endian whatever the order of the buffer. Fields
 * narrower than their parameter are masked on writing.
 */
package org.roce4j.wire;
