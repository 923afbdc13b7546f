package org.roce4j.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.emulator.Configuration;
import org.roce4j.tools.doctor.Finding.Level;
import org.roce4j.tools.doctor.SystemView.Interface;
import org.roce4j.tools.doctor.SystemView.TriedPort;

/** Problems are planted into a healthy machine, one at a time. */
class DoctorTest {
  private static final InetAddress PUBLIC_PEER = InetAddress.ofLiteral("198.51.100.7");

  /**
   * A problem. @param level the level that the doctor must report @param check the only check that
   * must find it @param says part of the finding @param cure part of the remedy
   */
  private record Planted(
      String problem,
      Level level,
      String check,
      String says,
      String cure,
      InetAddress peer,
      Map<String, String> settings,
      Consumer<PlantedSystem> plant) {
    @Override
    public String toString() {
      return problem;
    }
  }

  private static Planted fails(
      String problem, String check, String says, String cure, Consumer<PlantedSystem> plant) {
    return new Planted(problem, Level.FAIL, check, says, cure, null, Map.of(), plant);
  }

  private static Planted warns(
      String problem, String check, String says, String cure, Consumer<PlantedSystem> plant) {
    return new Planted(problem, Level.WARN, check, says, cure, null, Map.of(), plant);
  }

  static Stream<Planted> problems() {
    return Stream.of(
        fails(
            "an old JDK",
            "jdk",
            "is too old",
            "install a JDK 25",
            system -> system.properties.put("java.specification.version", "21")),
        fails(
            "a process has the port on every address",
            "port-4791",
            "process 77 (qemu) has UDP port 4791 on every address",
            "kill 77",
            system -> {
              system.socket("00000000:12B7", 4242, 0);
              system.process(77, "qemu", 4242);
            }),
        warns(
            "a process has the port on one address",
            "port-4791",
            "process 78 (java) has UDP port 4791 on 127.0.0.1",
            "or use another address",
            system -> {
              system.socket("0100007F:12B7", 4243, 0);
              system.process(78, "java", 4243);
            }),
        fails(
            "a process that we may not see has the port",
            "port-4791",
            "a process of another user has UDP port 4791",
            "sudo ss -ulpn",
            system -> system.socket("00000000:12B7", 4244, 0)),
        fails(
            "the kernel has the port",
            "port-4791",
            "the kernel (soft-RoCE) has UDP port 4791",
            "rdma link delete",
            system -> system.socket("00000000:12B7", 0, 0)),
        fails(
            "the kernel's soft-RoCE runs",
            "soft-roce",
            "runs (rxe0)",
            "rdma link delete rxe0",
            system -> {
              system.file("/sys/module/rdma_rxe/refcnt", "1");
              system.file("/sys/class/infiniband/rxe0/parent", "eth0");
            }),
        warns(
            "no segmentation offload",
            "transport",
            "without segmentation offload",
            "gVisor",
            system -> {
              system.ports.clear();
              system.ports.add(new TriedPort("linux", "", 1));
            }),
        warns(
            "the fast port does not work",
            "transport",
            "linux does not work here: no native access",
            "the next best is used",
            system -> system.ports.set(0, new TriedPort("linux", "no native access", 0))),
        fails(
            "no port at all",
            "transport",
            "there is no port on the class path",
            "roce4j-port-netty",
            system -> system.ports.clear()),
        warns(
            "small socket buffers",
            "buffers",
            "net.core.rmem_max is 212992: bursts of more than about 23 packets",
            "sysctl -w net.core.rmem_max=4194304",
            system -> system.file("/proc/sys/net/core/rmem_max", "212992")),
        warns(
            "drops since boot",
            "drops",
            "1234 datagrams of all programs found a full buffer",
            "nstat",
            system -> system.snmp(1234, 0)),
        warns(
            "wrong checksums",
            "drops",
            "3 datagrams had a wrong UDP checksum",
            "ethtool -S",
            system -> system.snmp(0, 3)),
        warns(
            "a small MTU",
            "mtu",
            "eth0: interface MTU 576 carries a path MTU of 256",
            "ip link set eth0 mtu 1500",
            system ->
                system.interfaces.set(
                    1, new Interface("eth0", 576, PlantedSystem.addresses("10.0.0.5")))),
        warns(
            "no IPv6",
            "ipv6",
            "IPv6 is switched off",
            "disable_ipv6=0",
            system -> {
              system.interfaces.set(
                  0, new Interface("lo", 65536, PlantedSystem.addresses("127.0.0.1")));
              system.file("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
            }),
        fails(
            "our port is for the privileged",
            "privileges",
            "ports below 5000 are for the privileged",
            "ip_unprivileged_port_start=1024",
            system -> system.file("/proc/sys/net/ipv4/ip_unprivileged_port_start", "5000")),
        warns(
            "our port may be given to anybody",
            "ephemeral",
            "any program may be given UDP port 4791",
            "ip_local_reserved_ports=4791",
            system -> system.file("/proc/sys/net/ipv4/ip_local_port_range", "1024 65535")),
        fails(
            "a firewall on the loopback interface",
            "loopback",
            "no datagram from 127.0.0.1 arrives",
            "nft list ruleset",
            system -> system.loopback = false),
        warns(
            "a container's network",
            "nat",
            "published ports",
            "--network host",
            system -> system.file("/.dockerenv")),
        new Planted(
            "address translation on the way to a peer",
            Level.FAIL,
            "nat",
            "packets from 10.0.0.5 to 198.51.100.7 pass an address translation",
            "icrc=off",
            PUBLIC_PEER,
            Map.of(),
            system -> {}),
        new Planted(
            "no way to a peer",
            Level.FAIL,
            "nat",
            "there is no way to 198.51.100.7",
            "ip route get 198.51.100.7",
            PUBLIC_PEER,
            Map.of(),
            system -> system.source = null),
        new Planted(
            "a setting mistyped",
            Level.FAIL,
            "configuration",
            "did you mean 'mtu'?",
            "docs/configuration.md",
            null,
            Map.of("mut", "1024"),
            system -> {}),
        new Planted(
            "a device with somebody else's address",
            Level.FAIL,
            "configuration",
            "device a has the address 10.0.0.6, which is none of this machine",
            "give device.a.addresses one of: 127.0.0.1, ",
            null,
            Map.of("device.a.addresses", "10.0.0.6"),
            system -> {}));
  }

  private static List<Finding> examine(Planted planted) {
    PlantedSystem system = new PlantedSystem();
    planted.plant().accept(system);
    return new Doctor(() -> Configuration.load(planted.settings()), planted.peer()).examine(system);
  }

  @ParameterizedTest
  @MethodSource("problems")
  void aPlantedProblemIsFoundWithItsCureAndNothingElseIs(Planted planted) {
    List<Finding> bad =
        examine(planted).stream()
            .filter(finding -> finding.level() != Level.OK)
            .filter(finding -> !finding.check().equals("processors")) // The real ones.
            .toList();
    assertEquals(1, bad.size(), bad::toString);
    Finding found = bad.getFirst();
    assertEquals(planted.level(), found.level(), found::toString);
    assertEquals(planted.check(), found.check(), found::toString);
    assertTrue(found.says().contains(planted.says()), found::toString);
    assertTrue(found.remedy().contains(planted.cure()), found::toString);
  }

  @Test
  void aSocketWithAFullBufferIsFoundBesideItsOwner() {
    PlantedSystem system = new PlantedSystem();
    system.socket("0100007F:12B7", 1, 9);
    List<Finding> drops = new DropCheck(4791).examine(system);
    assertEquals(
        "9 datagrams to 127.0.0.1:4791 found the socket's buffer full", drops.getFirst().says());
    assertTrue(drops.getFirst().remedy().contains("net.core.rmem_max"));
  }

  /**
   * Seen from 10.0.0.5: the first and the last address of each range, and the addresses beyond
   * them.
   */
  @ParameterizedTest
  @CsvSource({
    "9.255.255.255, FAIL",
    "10.0.0.0, OK",
    "10.255.255.255, OK",
    "11.0.0.0, FAIL",
    "100.63.255.255, FAIL",
    "100.64.0.0, OK",
    "100.127.255.255, OK",
    "100.128.0.0, FAIL",
    "172.15.255.255, FAIL",
    "172.16.0.0, OK",
    "172.31.255.255, OK",
    "172.32.0.0, FAIL",
    "169.254.0.1, OK",
    "192.168.255.255, OK",
    "192.169.0.0, FAIL",
    "fbff::1, FAIL",
    "fc00::1, OK",
    "fdff::1, OK",
    "fe80::1, OK",
    "2001:db8::1, FAIL",
    "6440::1, FAIL",
    "252.0.0.1, FAIL"
  })
  void aPrivateAddressNeedsNoTranslationToAPrivateOne(String peer, Level level) {
    NatCheck check = new NatCheck(InetAddress.ofLiteral(peer));
    assertEquals(level, check.examine(new PlantedSystem()).getFirst().level());
  }

  @Test
  void oneProcessorIsTooFew() {
    Finding found = new ProcessorCheck(1).examine(new PlantedSystem()).getFirst();
    assertEquals(Level.WARN, found.level());
    assertFalse(found.remedy().isEmpty());
  }

  @Test
  void aHealthyMachineHasNothingButGoodFindings() {
    List<Finding> findings =
        new Doctor(() -> Configuration.EMPTY, InetAddress.ofLiteral("10.0.0.9"))
            .examine(new PlantedSystem());
    assertTrue(
        findings.stream()
            .filter(finding -> !finding.check().equals("processors"))
            .allMatch(finding -> finding.level() == Level.OK && finding.remedy().isEmpty()),
        findings::toString);
    assertEquals(15, findings.size(), findings::toString);
  }

  @Test
  void ipv6SocketsAreSeenToo() {
    PlantedSystem system = new PlantedSystem();
    system.file(
        "/proc/net/udp6",
        "  7: 000077FD000000000000000002000000:12B7 00000000000000000000000000000000:0000 07"
            + " 00000000:00000000 00:00000000 00000000 1000 0 5 2 0 0");
    assertTrue(
        new UdpPortCheck(4791).examine(system).getFirst().says().contains("fd77:0:0:0:0:0:0:2"));
  }

  @Test
  void theSocketsOfOneDeviceAreOneFinding() {
    PlantedSystem system = new PlantedSystem();
    String socket =
        "  7: 0100007F:12B7 00000000:0000 07 00000000:00000000 00:00000000 00000000 1000 0 5 2 0"
            + " 0\n";
    system.file("/proc/net/udp", "head\n" + socket + socket);
    assertEquals(1, new UdpPortCheck(4791).examine(system).size());
  }

  @Test
  void thisMachineCanBeExamined() {
    List<Finding> findings =
        new Doctor(() -> Configuration.EMPTY, InetAddress.ofLiteral("127.0.0.1"))
            .examine(new LiveSystem());
    assertTrue(findings.stream().anyMatch(f -> f.check().equals("jdk") && f.level() == Level.OK));
    assertTrue(
        findings.stream().anyMatch(f -> f.check().equals("transport") && f.level() != Level.FAIL),
        findings::toString);
  }
}
