/**
 * Management datagrams of the connection manager: the messages over queue pair 1 by which two ends
 * connect their queue pairs, before the first packet of data flows.
 *
 * <p>A message is a record; {@link org.roce4j.wire.mad.Mad} adds the header. What is emitted parses
 * to an equal record; what parses and has no reserved bit set is emitted again byte for byte. No
 * bytes from the wire can cause an exception: a field that a record does not understand is kept as
 * a number.
 *
 * <p>Conventions: a {@code ByteBuffer} argument is a big-endian slice of {@link
 * org.roce4j.wire.mad.Mad#SIZE} bytes that begins with the MAD; offsets count from there. Sizes,
 * offsets and names are those of the InfiniBand specification, volume 1, chapter 12.
 */
package org.roce4j.wire.mad;
