package org.roce4j.port;

import java.util.List;
import org.roce4j.verbs.Gid;

/**
 * How a port is to be opened.
 *
 * @param addresses local addresses; a socket is bound to each
 * @param interfaceName network interface for link-local addresses and multicast; null: any
 * @param udpPort bound here and addressed at the peer; 4791 unless a test needs another
 * @param receiveBufferBytes asked of each socket; less may be granted
 * @param sendBufferBytes asked of each socket; less may be granted
 * @param trains whether segmentation and receive offload may be used
 * @param checkIcrc false: neither sealed nor judged (both ends are emulators behind a NAT)
 */
public record PortOptions(
    List<Gid> addresses,
    String interfaceName,
    int udpPort,
    int receiveBufferBytes,
    int sendBufferBytes,
    boolean trains,
    boolean checkIcrc) {
  /** The UDP port of RoCE v2. */
  public static final int ROCE_UDP_PORT = 4791;

  /** The usual options for these addresses. */
  public static PortOptions of(List<Gid> addresses) {
    return new PortOptions(addresses, null, ROCE_UDP_PORT, 4 << 20, 4 << 20, true, true);
  }
}
