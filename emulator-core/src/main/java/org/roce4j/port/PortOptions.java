package org.roce4j.port;

import java.util.List;
import org.roce4j.verbs.Gid;

/**
 * How a port is to be opened.
 *
 * @param addresses local addresses; a socket is bound to each
 * @param udpPort bound here and addressed at the peer; 4791 unless a test needs another
 * @param checkIcrc false: neither sealed nor judged (both ends are emulators behind a NAT)
 */
public record PortOptions(List<Gid> addresses, int udpPort, boolean checkIcrc) {
  /** The UDP port of RoCE v2. */
  public static final int ROCE_UDP_PORT = 4791;

  /** Send and receive buffer asked of each socket; less may be granted. */
  public static final int SOCKET_BUFFER_BYTES = 4 << 20;

  /** The usual options for these addresses. */
  public static PortOptions of(List<Gid> addresses) {
    return new PortOptions(addresses, ROCE_UDP_PORT, true);
  }

  /** The same with another UDP port, 1..65535, which peers must have too. */
  public PortOptions withUdpPort(int value) {
    return new PortOptions(addresses, value, checkIcrc);
  }

  /** The same with or without ICRCs; peers must do alike. */
  public PortOptions withCheckIcrc(boolean value) {
    return new PortOptions(addresses, udpPort, value);
  }
}
