package org.roce4j.verbs.cm;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;

/** The search of {@code rdma_getaddrinfo}. */
final class AddressLookup {
  private AddressLookup() {}

  static AddrInfo resolve(String node, String service, AddrInfo hints) {
    if (node == null && service == null && hints == null) {
      throw Errno.EINVAL.refusal("give a node, a service or hints");
    }
    AddrInfo wanted = hints == null ? new AddrInfo() : hints;
    AddrInfo found = kind(wanted);
    found.route(wanted.route()).connect(wanted.connect()).srcAddr(wanted.srcAddr());
    if (node == null && service == null) {
      return found.flags(wanted.flags()).family(wanted.family()).dstAddr(wanted.dstAddr());
    }
    boolean passive = (wanted.flags() & AddrInfo.PASSIVE) != 0;
    InetAddress address = address(node, passive, wanted);
    InetSocketAddress at = new InetSocketAddress(address, port(service));
    String name = node == null || numeric(node) ? null : node;
    found.flags(passive ? AddrInfo.PASSIVE : 0).family(familyOf(address));
    return passive ? found.srcAddr(at).srcCanonname(name) : found.dstAddr(at).dstCanonname(name);
  }

  /**
   * Port space and type; a missing one follows from the other.
   *
   * @throws VerbsException EINVAL for datagrams in a space of connections, or the reverse ({@code
   *     EAI_QPTYPE})
   */
  static AddrInfo kind(AddrInfo wanted) {
    QpType type = wanted.qpType();
    PortSpace space = wanted.portSpace();
    if (space == null) {
      space = type == QpType.UD ? PortSpace.UDP : PortSpace.TCP;
    }
    if (type == null) {
      type = space.qpType();
    }
    if (space != PortSpace.IB && (type == QpType.UD) != (space.qpType() == QpType.UD)) {
      throw Errno.EINVAL.refusal("port space %s has no service of type %s", space, type);
    }
    return new AddrInfo().portSpace(space).qpType(type);
  }

  private static InetAddress address(String node, boolean passive, AddrInfo hints) {
    StandardProtocolFamily family = hints.family();
    if (node == null) {
      boolean v6 = family == StandardProtocolFamily.INET6;
      return passive
          ? InetAddress.ofLiteral(v6 ? "::" : "0.0.0.0")
          : InetAddress.ofLiteral(v6 ? "::1" : "127.0.0.1");
    }
    if ((hints.flags() & AddrInfo.NUMERICHOST) != 0 && !numeric(node)) {
      throw new VerbsException(
          Errno.EADDRNOTAVAIL, "'" + node + "' is no address, and NUMERICHOST forbids names");
    }
    InetAddress[] all;
    if (node.isEmpty()) {
      throw Errno.EADDRNOTAVAIL.refusal("the node is empty: null is this host");
    }
    try {
      all = InetAddress.getAllByName(node);
    } catch (UnknownHostException e) {
      throw new VerbsException(Errno.EADDRNOTAVAIL, "no address is known for '" + node + "'", e);
    }
    for (InetAddress each : all) {
      if (family == null || familyOf(each) == family) {
        return each;
      }
    }
    throw Errno.EAFNOSUPPORT.refusal("'%s' has no address of family %s", node, family);
  }

  private static boolean numeric(String node) {
    try {
      InetAddress.ofLiteral(node);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static int port(String service) {
    if (service == null) {
      return 0;
    }
    try {
      int port = Integer.parseInt(service);
      if (port >= 0 && port <= 0xFFFF) {
        return port;
      }
    } catch (NumberFormatException e) {
      // Told below.
    }
    throw new VerbsException(
        Errno.EINVAL, "a service is a port number from 0 to 65535, not '" + service + "'");
  }

  private static StandardProtocolFamily familyOf(InetAddress address) {
    return address instanceof Inet4Address
        ? StandardProtocolFamily.INET
        : StandardProtocolFamily.INET6;
  }
}
