package org.roce4j.emulator;

import java.net.Inet4Address;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.GidAddress;

/**
 * The addresses that a device may have. Sockets can also be bound to the wildcard, a group or a
 * broadcast address, but a GID must name the one end that packets come from.
 */
final class DeviceAddresses {
  private DeviceAddresses() {}

  /**
   * @throws VerbsException EINVAL if there is no address, if an address is given twice, or if an
   *     address does not name a single end
   */
  static void check(List<Gid> addresses) {
    if (addresses.isEmpty()) {
      throw Errno.EINVAL.refusal("a device needs at least one address, such as 127.0.0.1");
    }
    Set<Gid> seen = new HashSet<>();
    for (Gid address : addresses) {
      Optional<String> refusal = refusal(address);
      if (refusal.isPresent()) {
        throw new VerbsException(Errno.EINVAL, refusal.get());
      }
      if (!seen.add(address)) {
        throw new VerbsException(Errno.EINVAL, address.addressText() + " is named twice");
      }
    }
  }

  /** Checks the addresses of every port, as {@link #check(List)} does. */
  static void check(DeviceOptions options) {
    check(options.allAddresses());
    if (options.ports().stream().anyMatch(List::isEmpty)) {
      throw Errno.EINVAL.refusal("each port needs at least one address");
    }
  }

  /**
   * Checks one address, as {@link #check(List)} does.
   *
   * @throws VerbsException EINVAL
   */
  static Gid check(Gid address) {
    check(List.of(RequiredArgument.check(address, "address")));
    return address;
  }

  /** Why an address cannot be that of a device on any machine; empty if it can. */
  static Optional<String> refusal(Gid address) {
    boolean ipv4 = address.isIpv4Mapped();
    String why = null;
    if (address.isZero() || (ipv4 && address.ipv4() == 0)) {
      why = "it stands for every address";
    } else if (address.isMulticast()) {
      why = "it is a multicast group, which a queue pair attaches to";
    } else if (ipv4 && address.ipv4() == 0xffff_ffff) {
      why = "it is the broadcast address";
    }
    return Optional.ofNullable(why)
        .map(
            reason ->
                Wording.of(
                        "%s cannot be the address of a device: %s; name one address of this"
                            + " machine, such",
                        address.addressText(), reason)
                    + " as 127.0.0.1");
  }

  /**
   * Also checks against the subnets of this machine.
   *
   * @throws VerbsException EADDRNOTAVAIL for the broadcast address of a subnet
   */
  static void checkLocal(List<Gid> addresses) {
    try {
      for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        for (InterfaceAddress subnet : network.getInterfaceAddresses()) {
          for (Gid address : addresses) {
            checkNotBroadcast(address, subnet, network.getName());
          }
        }
      }
    } catch (SocketException e) {
      // Without a list of the interfaces, the bind reports a wrong address.
    }
  }

  private static void checkNotBroadcast(Gid address, InterfaceAddress subnet, String network) {
    if (subnet.getAddress() instanceof Inet4Address own
        && isBroadcast(address, (int) GidAddress.lowOf(own), subnet.getNetworkPrefixLength())) {
      throw Errno.EADDRNOTAVAIL.refusal(
          "%s is the broadcast address of %s; use %s, for example",
          address.addressText(), network, own.getHostAddress());
    }
  }

  /**
   * Whether an address is the broadcast address of a subnet: its last address, if the subnet has
   * more than two.
   *
   * @param own an IPv4 address of this machine in the subnet
   */
  static boolean isBroadcast(Gid address, int own, int prefix) {
    return address.isIpv4Mapped()
        && prefix >= 1
        && prefix <= 30
        && address.ipv4() == (own | -1 >>> prefix);
  }
}
