/**
 * Packets as records that are built, compared and printed, and capture files, pcap and pcapng, read
 * and written.
 *
 * <p>This package is not on the data path and allocates freely; only the writers are used there, by
 * a port that captures, and allocate nothing per packet. Any bytes are input: malformed ones are
 * reported, not thrown. Only a file that cannot be read or written causes an {@link
 * java.io.IOException}.
 *
 * <p>A record that was parsed emits the same bytes.
 */
package org.roce4j.wire.capture;
