package org.roce4j.emulator;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Limit;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.port.PortOptions;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.wire.capture.CaptureExtent;

/**
 * The options of an emulated device. Immutable: begin with {@link #of}; each {@code with} method
 * returns a changed copy.
 */
public final class DeviceOptions implements Cloneable {
  /** Chooses the best available port. */
  public static final String AUTO = "auto";

  private static final int WHOLE_PACKET = 65535;

  private String name;
  private List<Gid> addresses;
  private List<List<Gid>> morePorts = List.of();
  private String transport = AUTO;
  private int engines = 1;
  private int udpPort = PortOptions.ROCE_UDP_PORT;
  private Mtu activeMtu;
  private long seed;
  private int firstGidIndex;
  private boolean checkIcrc = true;
  private FaultPlan faults = FaultPlan.NONE;
  private DeviceLimits limits = DeviceLimits.DEFAULT;
  private EngineTrace trace = EngineTrace.NONE;
  private Path capture;
  private int snaplen = WHOLE_PACKET;
  private CaptureExtent captureExtent = CaptureExtent.ALL;

  private DeviceOptions() {}

  /**
   * A device with a name and the addresses of its GID table; opening it binds a socket to each
   * address.
   */
  public static DeviceOptions of(String name, Gid... addresses) {
    DeviceOptions options = new DeviceOptions();
    options.name = name;
    options.addresses = List.of(addresses);
    return options;
  }

  private DeviceOptions changed(Consumer<DeviceOptions> change) {
    try {
      DeviceOptions copy = (DeviceOptions) clone();
      change.accept(copy);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  /** Its GID table. */
  public DeviceOptions withAddresses(List<Gid> value) {
    List<Gid> unchanging = List.copyOf(value);
    return changed(copy -> copy.addresses = unchanging);
  }

  /**
   * These options with one more port, whose GID table has these addresses. Queue pairs and address
   * handles are bound to a port; an id of the connection manager is bound to one by its address. A
   * queue pair receives the groups of its port, and each port has its own state. All ports share
   * the P_Key table.
   */
  public DeviceOptions withPort(Gid... table) {
    List<List<Gid>> more = new ArrayList<>(morePorts);
    more.add(List.of(table));
    return changed(copy -> copy.morePorts = List.copyOf(more));
  }

  /**
   * The port that carries datagrams: {@code auto}, or the name of a port such as {@code linux} or
   * {@code netty}.
   */
  public DeviceOptions withTransport(String value) {
    return changed(copy -> copy.transport = value);
  }

  /**
   * The number of engines, a power of two. Engines divide the queue pairs of the device among them,
   * so that as many threads can run them at once. A completion queue's vector names its engine.
   * More than one engine requires the port {@code linux} or a virtual network.
   */
  public DeviceOptions withEngines(int value) {
    return changed(copy -> copy.engines = value);
  }

  /**
   * The UDP port of this device and of its peers.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL unless 1 to 65535
   */
  public DeviceOptions withUdpPort(int value) {
    RequiredArgument.checkRange(value, 1, 65535, "udpPort");
    return changed(copy -> copy.udpPort = value);
  }

  /** The active MTU of the ports; null: as the network interface allows. */
  public DeviceOptions withActiveMtu(Mtu value) {
    return changed(copy -> copy.activeMtu = value);
  }

  /** The seed of keys and queue pair numbers; 0: unpredictable. */
  public DeviceOptions withSeed(long value) {
    return changed(copy -> copy.seed = value);
  }

  /**
   * The index of the first address in the GID table.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL unless 0 to 255
   */
  public DeviceOptions withFirstGidIndex(int value) {
    RequiredArgument.checkRange(value, 0, 255, "firstGidIndex");
    return changed(copy -> copy.firstGidIndex = value);
  }

  /** Whether ICRCs are computed and checked. */
  public DeviceOptions withCheckIcrc(boolean value) {
    return changed(copy -> copy.checkIcrc = value);
  }

  /** The faults of the device's datagrams. */
  public DeviceOptions withFaults(FaultPlan value) {
    return changed(copy -> copy.faults = value);
  }

  /** Limits of resources. */
  public DeviceOptions withLimits(DeviceLimits value) {
    return changed(copy -> copy.limits = value);
  }

  /** These options with another value of one limit. */
  public DeviceOptions withLimit(Limit limit, long value) {
    return withLimits(limits.with(limit, value));
  }

  /** The observer of the engines. */
  public DeviceOptions withTrace(EngineTrace value) {
    return changed(copy -> copy.trace = value);
  }

  /** Captures every datagram to a pcapng file, at most {@code bytesPerPacket} bytes of each. */
  public DeviceOptions withCapture(Path file, int bytesPerPacket) {
    return changed(
        copy -> {
          copy.capture = file;
          copy.snaplen = bytesPerPacket;
        });
  }

  /** Which packets the capture keeps; all by default. */
  public DeviceOptions withCaptureExtent(CaptureExtent value) {
    return changed(copy -> copy.captureExtent = value);
  }

  /** The name that {@code ibv_get_device_name} returns; unique in the process. */
  public String name() {
    return name;
  }

  /**
   * The addresses of the GID table from {@link #firstGidIndex} on, at least one. Each belongs to
   * this machine.
   */
  public List<Gid> addresses() {
    return addresses;
  }

  /** These options with these ports instead of all earlier ones. */
  DeviceOptions withPorts(List<List<Gid>> tables) {
    return changed(
        copy -> {
          copy.addresses = tables.getFirst();
          copy.morePorts = List.copyOf(tables.subList(1, tables.size()));
        });
  }

  /** The GID table of each port, that of port 1 first. */
  public List<List<Gid>> ports() {
    return Stream.concat(Stream.of(addresses), morePorts.stream()).toList();
  }

  /** The addresses of all ports. */
  List<Gid> allAddresses() {
    return ports().stream().flatMap(List::stream).toList();
  }

  /**
   * The port that carries datagrams: {@code linux}, {@code netty}, or {@link #AUTO} for the best.
   */
  public String transport() {
    return transport;
  }

  /** The number of engines: 1, 2, 4, 8 or 16. */
  public int engines() {
    return engines;
  }

  /** The UDP port of this device and of every peer, 1 to 65535; the standard is 4791. */
  public int udpPort() {
    return udpPort;
  }

  /** The active MTU of the ports; null: as the network interface allows. */
  public Mtu activeMtu() {
    return activeMtu;
  }

  /** The seed of queue pair numbers and keys; 0: unpredictable. */
  public long seed() {
    return seed;
  }

  /** The index of the first address in the GID table, 0 to 255; 1 suits scripts for Linux rxe. */
  public int firstGidIndex() {
    return firstGidIndex;
  }

  /** Whether ICRCs are computed and checked; false if a NAT is between two emulated devices. */
  public boolean checkIcrc() {
    return checkIcrc;
  }

  /** The faults of the device's datagrams; {@link FaultPlan#NONE}: none. */
  public FaultPlan faults() {
    return faults;
  }

  /** The limits of objects, requests and bytes that {@code ibv_query_device} reports. */
  public DeviceLimits limits() {
    return limits;
  }

  /** The observer of the engines, called on the threads that run them; it must not block. */
  public EngineTrace trace() {
    return trace;
  }

  /** The capture file, or null. */
  public Path capture() {
    return capture;
  }

  /** The number of bytes that are kept of each captured IP packet, 96 to 65535. */
  public int snaplen() {
    return snaplen;
  }

  /** Which packets the capture keeps. */
  public CaptureExtent captureExtent() {
    return captureExtent;
  }

  private List<Object> parts() {
    return Arrays.asList(
        name,
        addresses,
        morePorts,
        transport,
        engines,
        udpPort,
        activeMtu,
        seed,
        firstGidIndex,
        checkIcrc,
        faults,
        limits,
        trace,
        capture,
        snaplen,
        captureExtent);
  }

  /** Whether both have equal options. */
  @Override
  public boolean equals(Object other) {
    return other instanceof DeviceOptions options && parts().equals(options.parts());
  }

  @Override
  public int hashCode() {
    return parts().hashCode();
  }
}
