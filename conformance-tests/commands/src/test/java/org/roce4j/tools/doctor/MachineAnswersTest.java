package org.roce4j.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.Configuration;
import org.roce4j.tools.doctor.Finding.Level;
import org.roce4j.tools.doctor.SystemView.Interface;
import org.roce4j.tools.doctor.SystemView.TriedPort;

/** One check at a time, and each answer that a system may give it, such as none. */
class MachineAnswersTest {
  private final PlantedSystem system = new PlantedSystem();

  private Finding only(MachineCheck check) {
    List<Finding> findings = check.examine(system);
    assertEquals(1, findings.size(), findings::toString);
    return findings.getFirst();
  }

  private Level level(MachineCheck check) {
    return only(check).level();
  }

  /** The system gives away the ports of its range that are not reserved. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          4791 4791  |                        | WARN
          4791 60999 |                        | WARN
          1024 4791  |                        | WARN
          4792 60999 |                        | OK
          1024 4790  |                        | OK
          1024 65535 | 4791                   | OK
          1024 65535 | 4790                   | WARN
          1024 65535 | 80,4791                | OK
          1024 65535 | 4000-4791              | OK
          1024 65535 | 4791-5000              | OK
          1024 65535 | 4000-4790,4792-5000    | WARN
          1024 65535 | many                   | WARN
          1024       |                        | OK
          few 60999  |                        | OK
          1024 many  |                        | OK
          1 9999 9   |                        | OK
          """)
  void aPortOfTheRangeIsSafeIfItIsReserved(String range, String reserved, Level level) {
    system.file("/proc/sys/net/ipv4/ip_local_port_range", range);
    system.file("/proc/sys/net/ipv4/ip_local_reserved_ports", reserved == null ? "" : reserved);
    assertEquals(level, level(new EphemeralPortCheck(4791)));
  }

  @Test
  void aSystemThatHidesItsRangeGivesNothingAway() {
    system.files.remove("/proc/sys/net/ipv4/ip_local_port_range");
    assertEquals(Level.OK, level(new EphemeralPortCheck(4791)));
  }

  /** CAP_NET_BIND_SERVICE is bit 10. */
  @ParameterizedTest
  @CsvSource({
    "4791, 0000000000000000, OK",
    "4792, 0000000000000000, FAIL",
    "4792, 0000000000000400, OK",
    "4792, fffffffffffffbff, FAIL",
    "4792, ffffffffffffffff, OK",
    "4792, many, FAIL",
    "many, 0000000000000000, OK",
  })
  void aPortOfThePrivilegedNeedsTheirCapability(String first, String capabilities, Level level) {
    system.file("/proc/sys/net/ipv4/ip_unprivileged_port_start", first);
    system.file("/proc/self/status", "Name:\tjava", "CapEff:\t" + capabilities);
    assertEquals(level, level(new PrivilegeCheck(4791)));
  }

  @ParameterizedTest
  @CsvSource({
    "0000000000002000, CAP_NET_RAW yes CAP_NET_ADMIN no",
    "0000000000001000, CAP_NET_RAW no CAP_NET_ADMIN yes",
  })
  void theCapabilitiesAreTold(String capabilities, String told) {
    system.file("/proc/self/status", "CapEff:\t" + capabilities);
    assertTrue(only(new PrivilegeCheck(4791)).says().replace(",", "").contains(told));
  }

  @ParameterizedTest
  @CsvSource({
    "rmem_max, 4194303, WARN",
    "wmem_max, 4194303, WARN",
    "wmem_max, 4194304, OK",
    "wmem_max, many, OK",
  })
  void eachDirectionNeedsItsBuffer(String limit, String bytes, Level level) {
    system.file("/proc/sys/net/core/" + limit, bytes);
    Finding found = only(new BufferCheck());
    assertEquals(level, found.level());
    assertEquals(level == Level.WARN, found.says().contains("net.core." + limit));
  }

  /** A system without these limits is not said to have them. */
  @Test
  void limitsThatAreNotShownAreNotClaimed() {
    system.files.remove("/proc/sys/net/core/rmem_max");
    system.files.remove("/proc/sys/net/core/wmem_max");
    Finding found = only(new BufferCheck());
    assertEquals(Level.OK, found.level());
    assertTrue(found.says().contains("does not show"), found::says);
  }

  /** An older kernel has fewer columns. */
  @ParameterizedTest
  @CsvSource({
    "Udp: RcvbufErrors, Udp: 7, WARN",
    "Udp: InDatagrams, Udp: 7, OK",
    "Udp: InDatagrams RcvbufErrors, Udp: 7, OK",
    "Udp: RcvbufErrors, Udp: many, OK",
    "UdpLite: RcvbufErrors, UdpLite: 7, OK",
    "Udp: RcvbufErrors, UdpLite: 7, OK",
  })
  void aCounterThatIsNotThereHasCountedNothing(String names, String values, Level level) {
    system.file("/proc/net/snmp", names, values);
    assertEquals(level, level(new DropCheck(4791)));
  }

  @Test
  void theSocketsOfOtherPortsAndThoseWithoutDropsAreNoMatter() {
    system.socket("0100007F:12B6", 1, 9);
    assertEquals(Level.OK, level(new DropCheck(4791)));
    system.socket("0100007F:12B7", 1, 0);
    assertEquals(Level.OK, level(new DropCheck(4791)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "7: 00000000:12B6 00000000:0000 07 0:0 0:0 0 1000 0 5 2 0 0",
        "7: 00000000:12B7 00000000:0000 07 0:0 0:0 0 1000 0 5 2 0",
        "7: 00000000:12B7 00000000:0000 07 0:0 0:0 0 1000 0 many 2 0 0",
        "7: 00000000:12B7 00000000:0000 07 0:0 0:0 0 1000 0 5 2 0 many",
        "7: 0000:12B7 00000000:0000 07 0:0 0:0 0 1000 0 5 2 0 0",
        "7: here:12B7 00000000:0000 07 0:0 0:0 0 1000 0 5 2 0 0",
      })
  void aLineThatIsNoSocketOfThePortLeavesItFree(String line) {
    system.file("/proc/net/udp", "head", line);
    assertEquals(Level.OK, level(new UdpPortCheck(4791)));
  }

  @Test
  void aProcessWithoutANameIsToldByItsNumber() {
    system.socket("00000000:12B7", 4242, 0);
    system.process(77, "qemu", 4242);
    system.files.remove("/proc/77/comm");
    Finding found = only(new UdpPortCheck(4791));
    assertTrue(found.says().startsWith("process 77 has UDP port 4791"), found::says);
    assertTrue(found.remedy().startsWith("stop it (kill 77)"), found::remedy);
  }

  @Test
  void aMachineWithoutAddressesOfIpv6IsNotSaidToHaveSwitchedThemOff() {
    system.interfaces.clear();
    system.file("/proc/sys/net/ipv6/conf/all/disable_ipv6", "0");
    Finding found = only(new Ipv6Check());
    assertEquals(Level.WARN, found.level());
    assertEquals("no interface has an IPv6 address", found.says());
  }

  @ParameterizedTest
  @CsvSource({"24, FAIL", "25, OK", "26, OK", "1.8, FAIL", "'', FAIL"})
  void theOldestJdkIsTheTwentyFifth(String version, Level level) {
    system.properties.put("java.specification.version", version);
    assertEquals(level, level(new JdkCheck()));
  }

  @Test
  void eachInterfaceIsToldAndNoneIsTooFew() {
    system.interfaces.set(1, new Interface("eth0", 1500, List.of()));
    assertEquals(
        List.of(Level.OK, Level.OK),
        new MtuCheck().examine(system).stream().map(Finding::level).toList());
    system.interfaces.clear();
    assertEquals(Level.FAIL, level(new MtuCheck()));
  }

  /** A device of the kernel's soft-RoCE has a network interface as its parent. */
  @Test
  void onlyADeviceOfTheLoadedModuleIsInTheWay() {
    system.file("/sys/class/infiniband/mlx5_0/node_guid", "1");
    system.file("/sys/module/rdma_rxe/refcnt", "1");
    assertEquals(Level.OK, level(new SoftRoceCheck()), "another driver's device");
    system.file("/sys/class/infiniband/rxe1/parent", "eth1");
    system.file("/sys/class/infiniband/rxe0/parent", "eth0");
    Finding found = only(new SoftRoceCheck());
    assertEquals(Level.FAIL, found.level());
    assertTrue(found.says().contains("(rxe0, rxe1)"), found::says);
    system.files.remove("/sys/module/rdma_rxe/refcnt");
    assertEquals(Level.OK, level(new SoftRoceCheck()), "the module is not loaded");
  }

  @Test
  void segmentationOffloadIsMissedOnLinuxAlone() {
    system.ports.clear();
    system.ports.add(new TriedPort("netty", "", 1));
    assertEquals(Level.WARN, level(new TransportCheck()));
    system.properties.put("os.name", "Mac OS X");
    assertEquals(Level.OK, level(new TransportCheck()));
  }

  @Test
  void portsNoneOfThemWorkingAreNotPortsThatAreMissing() {
    system.ports.replaceAll(port -> new TriedPort(port.name(), "no socket", 0));
    List<Finding> findings = new TransportCheck().examine(system);
    assertEquals(
        List.of(Level.WARN, Level.WARN, Level.FAIL),
        findings.stream().map(Finding::level).toList());
    assertEquals("no port works here", findings.getLast().says());
  }

  @Test
  void aSystemWithOneLoopbackAddressIsNotBroken() {
    system.loopback = false;
    system.properties.put("os.name", "Mac OS X");
    assertEquals(Level.WARN, level(new LoopbackCheck()));
  }

  /** Its host translates what leaves it for a neighbour, but not what stays inside. */
  @ParameterizedTest
  @CsvSource({
    "/.dockerenv, 10.0.0.9, WARN",
    "/run/.containerenv, 10.0.0.9, WARN",
    "/run/.containerenv, 127.0.0.2, OK",
    "/run/.containerenv, 198.51.100.7, FAIL",
    "/etc/hosts, 10.0.0.9, OK",
    "/etc/hosts, , OK",
    "/run/.containerenv, , WARN",
  })
  void aContainerIsTakenIntoAccountOnTheWayToAPeer(String file, String peer, Level level) {
    system.file(file);
    assertEquals(level, level(new NatCheck(peer == null ? null : InetAddress.ofLiteral(peer))));
  }

  @Test
  void aPublicAddressReachesEveryPeerWithoutTranslation() {
    system.source = InetAddress.ofLiteral("203.0.113.5");
    system.file("/.dockerenv");
    assertEquals(Level.OK, level(new NatCheck(InetAddress.ofLiteral("198.51.100.7"))));
  }

  /** Every address of 127.0.0.0/8 is the machine's own, although no interface lists it. */
  @ParameterizedTest
  @CsvSource({"127.9.9.9, OK", "10.0.0.5, OK", "10.0.0.6, FAIL", "::1, OK", "::2, FAIL"})
  void aDeviceHasAnAddressOfThisMachine(String address, Level level) {
    Map<String, String> settings = Map.of("device.a.addresses", address);
    assertEquals(level, level(new ConfigurationCheck(() -> Configuration.load(settings))));
  }

  @Test
  void ipv6HasOneLoopbackAddressIfAnInterfaceHasIt() {
    system.interfaces.clear();
    Map<String, String> settings = Map.of("device.a.addresses", "::1");
    assertEquals(Level.FAIL, level(new ConfigurationCheck(() -> Configuration.load(settings))));
  }

  @Test
  void twoProcessorsAreEnough() {
    assertEquals(Level.OK, level(new ProcessorCheck(2)));
  }

  @Test
  void theConfiguredPortIsLookedAt() {
    system.socket("00000000:0FA0", 4242, 0);
    List<Finding> findings =
        new Doctor(() -> Configuration.load(Map.of("udp-port", "4000")), null).examine(system);
    assertTrue(
        findings.stream()
            .anyMatch(each -> each.check().equals("port-4000") && each.level() == Level.FAIL),
        findings::toString);
  }
}
