package org.roce4j.emulator;

import java.nio.file.Path;
import java.util.List;
import org.roce4j.engine.device.DeviceLimits;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;

/**
 * How an emulated device is made. Immutable; start with {@link #of} and change with the withers.
 *
 * @param addresses its GID table; a socket is bound to each when the device is opened
 * @param transport {@code auto}, or the name of a port such as {@code linux} or {@code netty}
 * @param udpPort bound here and addressed at peers
 * @param activeMtu null: as the network interface allows
 * @param seed of keys and queue pair numbers; 0: unpredictable
 * @param firstGidIndex index of the first address in the GID table
 * @param capture a pcapng file for every datagram, or null
 * @param snaplen bytes kept of each captured packet
 * @param checkIcrc false: neither sealed nor judged
 * @param trace told what happens in the engine
 */
public record DeviceOptions(
    String name,
    List<Gid> addresses,
    String transport,
    int udpPort,
    Mtu activeMtu,
    long seed,
    int firstGidIndex,
    Path capture,
    int snaplen,
    boolean checkIcrc,
    DeviceLimits limits,
    EngineTrace trace) {
  /** Lets the best available port be chosen. */
  public static final String AUTO = "auto";

  private static final int WHOLE_PACKET = 65535;

  public DeviceOptions {
    addresses = List.copyOf(addresses);
  }

  public static DeviceOptions of(String name, Gid... addresses) {
    return new DeviceOptions(
        name,
        List.of(addresses),
        AUTO,
        PortOptions.ROCE_UDP_PORT,
        null,
        0,
        0,
        null,
        WHOLE_PACKET,
        true,
        DeviceLimits.DEFAULT,
        EngineTrace.NONE);
  }

  public DeviceOptions withTransport(String value) {
    return new DeviceOptions(
        name,
        addresses,
        value,
        udpPort,
        activeMtu,
        seed,
        firstGidIndex,
        capture,
        snaplen,
        checkIcrc,
        limits,
        trace);
  }

  public DeviceOptions withUdpPort(int value) {
    return new DeviceOptions(
        name,
        addresses,
        transport,
        value,
        activeMtu,
        seed,
        firstGidIndex,
        capture,
        snaplen,
        checkIcrc,
        limits,
        trace);
  }

  public DeviceOptions withActiveMtu(Mtu value) {
    return new DeviceOptions(
        name,
        addresses,
        transport,
        udpPort,
        value,
        seed,
        firstGidIndex,
        capture,
        snaplen,
        checkIcrc,
        limits,
        trace);
  }

  public DeviceOptions withSeed(long value) {
    return new DeviceOptions(
        name,
        addresses,
        transport,
        udpPort,
        activeMtu,
        value,
        firstGidIndex,
        capture,
        snaplen,
        checkIcrc,
        limits,
        trace);
  }

  public DeviceOptions withFirstGidIndex(int value) {
    return new DeviceOptions(
        name, addresses, transport, udpPort, activeMtu, seed, value, capture, snaplen, checkIcrc,
        limits, trace);
  }

  public DeviceOptions withCapture(Path file, int bytesPerPacket) {
    return new DeviceOptions(
        name,
        addresses,
        transport,
        udpPort,
        activeMtu,
        seed,
        firstGidIndex,
        file,
        bytesPerPacket,
        checkIcrc,
        limits,
        trace);
  }

  public DeviceOptions withCheckIcrc(boolean value) {
    return new DeviceOptions(
        name,
        addresses,
        transport,
        udpPort,
        activeMtu,
        seed,
        firstGidIndex,
        capture,
        snaplen,
        value,
        limits,
        trace);
  }

  public DeviceOptions withLimits(DeviceLimits value) {
    return new DeviceOptions(
        name,
        addresses,
        transport,
        udpPort,
        activeMtu,
        seed,
        firstGidIndex,
        capture,
        snaplen,
        checkIcrc,
        value,
        trace);
  }

  public DeviceOptions withTrace(EngineTrace value) {
    return new DeviceOptions(
        name,
        addresses,
        transport,
        udpPort,
        activeMtu,
        seed,
        firstGidIndex,
        capture,
        snaplen,
        checkIcrc,
        limits,
        value);
  }
}
