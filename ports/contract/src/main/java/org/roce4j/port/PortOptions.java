package org.roce4j.port;

import java.util.List;
import org.roce4j.verbs.Gid;

/**
 * Options for opening a port.
 *
 * @param addresses local addresses; a socket is bound to each
 * @param udpPort UDP port of this port and of every peer; 4791 except in tests
 * @param checkIcrc false: ICRCs are neither sealed nor judged, for emulators with a NAT between
 *     them
 */
public record PortOptions(List<Gid> addresses, int udpPort, boolean checkIcrc) {
  /** The UDP port of RoCE v2. */
  public static final int ROCE_UDP_PORT = 4791;

  /** Size of the send and receive buffer requested for each socket; the system may grant less. */
  public static final int SOCKET_BUFFER_BYTES = 4 << 20;

  /** Options for these addresses with UDP port 4791 and ICRCs. */
  public static PortOptions of(List<Gid> addresses) {
    return new PortOptions(addresses, ROCE_UDP_PORT, true);
  }

  /** These options with another UDP port, 1..65535; peers must use the same. */
  public PortOptions withUdpPort(int value) {
    return new PortOptions(addresses, value, checkIcrc);
  }

  /** These options with or without ICRCs; peers must have the same setting. */
  public PortOptions withCheckIcrc(boolean value) {
    return new PortOptions(addresses, udpPort, value);
  }
}
