/**
 * Management datagrams of the connection manager: what two ends say to each other over queue pair 1
 * to connect queue pairs. In the data's way this is the door before the first: a connection is made
 * here, then packets flow.
 *
 * <p>A message is a record; {@link org.roce4j.wire.mad.Mad} is one with its header. What is emitted
 * parses to an equal record; what parses and has no reserved bit set is emitted again byte for
 * byte. No bytes from the wire can cause an exception: a field that a record does not understand is
 * kept as a number.
 *
 * <p>Conventions: a {@code ByteBuffer} argument is a big-endian slice of {@link
 * org.roce4j.wire.mad.Mad#SIZE} bytes that begins with the MAD; offsets count from there. Sizes,
 * offsets and names are those of the InfiniBand specification, volume 1, chapter 12.
 */
package org.roce4j.wire.mad;
