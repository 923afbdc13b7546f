package org.roce4j.tools.doctor;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/** No NAT rewrites addresses on the way: the ICRC covers them. */
final class NatCheck implements MachineCheck {
  private static final String NAME = "nat";
  private static final String CURE =
      "use a path without address translation (the same network, a tunnel, --network host), or"
          + " icrc=off where both ends are roce4j";

  private final InetAddress peer;

  /**
   * @param peer the host that packets should reach; null: none in particular
   */
  NatCheck(InetAddress peer) {
    this.peer = peer;
  }

  @Override
  public List<Finding> examine(SystemView system) {
    if (peer == null) {
      return List.of(withoutPeer(system));
    }
    Optional<InetAddress> source = system.sourceFor(peer);
    if (source.isEmpty()) {
      return List.of(
          Finding.fail(
              NAME,
              "there is no way to " + peer.getHostAddress(),
              "check address and route: ip route get " + peer.getHostAddress()));
    }
    String way = source.get().getHostAddress() + " to " + peer.getHostAddress();
    if (isPrivate(source.get()) && !isPrivate(peer)) {
      return List.of(
          Finding.fail(
              NAME,
              "packets from " + way + " pass an address translation: one is private, one is not",
              CURE));
    }
    if (inContainer(system) && isPrivate(peer) && !peer.isLoopbackAddress()) {
      return List.of(
          Finding.warn(
              NAME,
              "this is a container: packets from " + way + " may leave under the host's address",
              CURE));
    }
    return List.of(
        Finding.ok(
            NAME,
            way
                + ": no sign of address translation; if the peer counts icrc_err, there is one all"
                + " the same"));
  }

  private static Finding withoutPeer(SystemView system) {
    if (inContainer(system)) {
      return Finding.warn(
          NAME,
          "this is a container: published ports and packets to other hosts are translated, and the"
              + " ICRC does not survive that",
          CURE + "; --peer ADDRESS looks at one way");
    }
    return Finding.ok(NAME, "not looked for; --peer ADDRESS looks at the way to a peer");
  }

  private static boolean inContainer(SystemView system) {
    return system.exists("/.dockerenv") || system.exists("/run/.containerenv");
  }

  /** Addresses that the internet does not route: private, link-local, carrier-grade NAT. */
  private static boolean isPrivate(InetAddress address) {
    byte[] bytes = address.getAddress();
    boolean shared = bytes.length == 4 && bytes[0] == 100 && (bytes[1] & 0xc0) == 64;
    boolean unique = bytes.length == 16 && (bytes[0] & 0xfe) == 0xfc;
    return shared
        || unique
        || address.isSiteLocalAddress()
        || address.isLinkLocalAddress()
        || address.isLoopbackAddress();
  }
}
