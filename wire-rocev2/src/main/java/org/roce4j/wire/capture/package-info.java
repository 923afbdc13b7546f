/**
 * Packets as people see them, and the files they are kept in: records that are built, compared and
 * printed, pcap and pcapng in and out, and the inspector that judges a capture.
 *
 * <p>This package stands beside the walk of a packet, not in it: it allocates freely and is never
 * on the data path, except for the writers, which a capturing port feeds and which allocate nothing
 * per packet. Whatever bytes it is given it reports on, and throws nothing; only files that cannot
 * be read or written are {@link java.io.IOException}s.
 *
 * <p>Law of the records: what parses is emitted again byte for byte.
 */
package org.roce4j.wire.capture;
