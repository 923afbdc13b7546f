package org.roce4j.tools.doctor;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A healthy machine into which problems can be planted. */
final class PlantedSystem implements SystemView {
  final Map<String, String> properties = new HashMap<>();
  final Map<String, List<String>> files = new HashMap<>();
  final Map<String, String> links = new LinkedHashMap<>();
  final List<Interface> interfaces = new ArrayList<>();
  final List<TriedPort> ports = new ArrayList<>();
  boolean loopback = true;
  InetAddress source = InetAddress.ofLiteral("10.0.0.5");

  PlantedSystem() {
    properties.put("java.specification.version", "25");
    properties.put("java.version", "25.0.1");
    properties.put("java.vendor", "Somebody");
    properties.put("java.home", "/opt/jdk-25");
    properties.put("os.name", "Linux");
    file("/proc/sys/net/core/rmem_max", "4194304");
    file("/proc/sys/net/core/wmem_max", "4194304");
    file("/proc/sys/net/ipv4/ip_unprivileged_port_start", "1024");
    file("/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999");
    file("/proc/self/status", "Name:\tjava", "CapEff:\t0000000000000000");
    file("/proc/net/udp", SOCKETS);
    snmp(0, 0);
    interfaces.add(new Interface("lo", 65536, addresses("127.0.0.1", "::1")));
    interfaces.add(new Interface("eth0", 1500, addresses("10.0.0.5")));
    ports.add(new TriedPort("linux", "", 64));
    ports.add(new TriedPort("netty", "", 64));
  }

  private static final String SOCKETS =
      "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout"
          + " inode ref pointer drops";

  static List<InetAddress> addresses(String... addresses) {
    return List.of(addresses).stream().map(InetAddress::ofLiteral).toList();
  }

  void file(String path, String... lines) {
    files.put(path, List.of(lines));
  }

  /** The kernel's counters of UDP. */
  void snmp(long fullBuffers, long wrongChecksums) {
    file(
        "/proc/net/snmp",
        "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors",
        "Udp: 31387402 102 0 31387611 %d 0 %d".formatted(fullBuffers, wrongChecksums));
  }

  /** Adds a UDP socket, with the address as {@code /proc/net/udp} writes it. */
  void socket(String local, long inode, long drops) {
    file(
        "/proc/net/udp",
        SOCKETS,
        ("  7: %s 00000000:0000 07 00000000:00000000 00:00000000 00000000 1000 0 %d 2"
                + " 0000000004fe40ad3 %d")
            .formatted(local, inode, drops));
  }

  void process(int pid, String name, long inode) {
    file("/proc/" + pid + "/comm", name);
    links.put("/proc/" + pid + "/fd/3", "socket:[" + inode + "]");
  }

  @Override
  public String property(String name) {
    return properties.getOrDefault(name, "");
  }

  @Override
  public List<String> lines(String file) {
    return files.getOrDefault(file, List.of());
  }

  @Override
  public List<String> names(String directory) {
    List<String> all = new ArrayList<>(files.keySet());
    all.addAll(links.keySet());
    return all.stream()
        .filter(path -> path.startsWith(directory + "/"))
        .map(path -> path.substring(directory.length() + 1).replaceFirst("/.*", ""))
        .distinct()
        .toList();
  }

  @Override
  public Optional<String> link(String path) {
    return Optional.ofNullable(links.get(path));
  }

  @Override
  public boolean exists(String path) {
    return files.containsKey(path) || !names(path).isEmpty();
  }

  @Override
  public List<Interface> interfaces() {
    return interfaces;
  }

  @Override
  public List<TriedPort> ports() {
    return ports;
  }

  @Override
  public boolean loopbackWorks() {
    return loopback;
  }

  @Override
  public Optional<InetAddress> sourceFor(InetAddress peer) {
    return Optional.ofNullable(source);
  }
}
