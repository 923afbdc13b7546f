package org.roce4j.tools.pingpong;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.roce4j.tools.options.ConfiguredDevices;
import org.roce4j.tools.options.TransportName;
import org.roce4j.verbs.Gid;

/**
 * A checked command line of {@code roce4j pingpong}.
 *
 * @param configured what the configuration says of devices
 * @param device a device of the device list, or null: make one (or two) for this run
 * @param bind local addresses; empty: choose
 * @param gidIndex index of the local address in the device's GID table
 * @param capture where packets are kept, or null
 * @param snaplen bytes kept of each packet
 * @param port TCP port of the exchange
 * @param server wait for a peer
 * @param host the peer to call, or null
 * @param patience how long the peer may be silent
 */
record PingPongOptions(
    ServiceName service,
    Traffic traffic,
    TransportName transport,
    ConfiguredDevices configured,
    String device,
    List<Gid> bind,
    int gidIndex,
    Path capture,
    int snaplen,
    int port,
    boolean server,
    String host,
    Duration patience) {

  /** Whether both ends run in this process. */
  boolean bothEnds() {
    return !server && host == null;
  }
}
