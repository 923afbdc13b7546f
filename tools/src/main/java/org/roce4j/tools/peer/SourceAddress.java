package org.roce4j.tools.peer;

import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.text.Wording;

/** Chooses the address of a device that connects to a peer. */
public final class SourceAddress {
  private static final int ROCE_PORT = 4791;
  private static final InetAddress FIRST = InetAddress.ofLiteral("127.0.0.1");
  private static final InetAddress SECOND = InetAddress.ofLiteral("127.0.0.2");

  private SourceAddress() {}

  /**
   * The local address for sending to the peer. On the peer's own host it is another loopback
   * address, because the peer's device has the peer's address; with IPv6 such an address exists
   * only if it was added to the host.
   *
   * @throws ToolFailure if there is none
   */
  public static InetAddress leadingTo(InetAddress peer) {
    try (DatagramSocket probe = new DatagramSocket()) {
      probe.connect(new InetSocketAddress(peer, ROCE_PORT));
      InetAddress local = probe.getLocalAddress();
      if (local.equals(peer) && !(peer instanceof Inet4Address)) {
        throw ToolFailure.usage(
            "%s is this host's own, and the peer's device has it: name another of this host's"
                + " IPv6 addresses by --bind",
            peer.getHostAddress());
      }
      return !local.equals(peer) ? local : peer.equals(FIRST) ? SECOND : FIRST;
    } catch (SocketException e) {
      throw ToolFailure.atRunTime(
          Wording.of("no address leads to %s (%s); choose with --bind", peer, e.getMessage()), e);
    }
  }
}
