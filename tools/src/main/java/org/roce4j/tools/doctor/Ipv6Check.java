package org.roce4j.tools.doctor;

import java.net.Inet6Address;
import java.util.List;

/** There is IPv6. */
final class Ipv6Check implements MachineCheck {
  private static final String NAME = "ipv6";

  @Override
  public List<Finding> examine(SystemView system) {
    boolean there =
        system.interfaces().stream()
            .flatMap(each -> each.addresses().stream())
            .anyMatch(Inet6Address.class::isInstance);
    if (there) {
      return List.of(Finding.ok(NAME, "there are IPv6 addresses"));
    }
    boolean off =
        system.lines("/proc/sys/net/ipv6/conf/all/disable_ipv6").stream().anyMatch("1"::equals);
    return List.of(
        Finding.warn(
            NAME,
            off ? "IPv6 is switched off" : "no interface has an IPv6 address",
            off
                ? "sysctl -w net.ipv6.conf.all.disable_ipv6=0, or use IPv4 only"
                : "use IPv4 only, or give an interface an IPv6 address"));
  }
}
