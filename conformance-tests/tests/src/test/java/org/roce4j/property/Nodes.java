package org.roce4j.property;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.robustness.Loopback;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

/** Devices that reach each other, with one context each. */
abstract class Nodes implements AutoCloseable {
  private final List<Context> contexts = new ArrayList<>();

  /** Nodes on a virtual network; polling lets its time go on. */
  static Nodes onFabric(FabricOptions options, int count) {
    FabricDevices devices = new FabricDevices(options);
    Nodes nodes =
        new Nodes() {
          @Override
          boolean mayStillCome(long waitedNs) {
            return devices.fabric().nextEventNs() != Long.MAX_VALUE
                || devices.fabric().inFlight() > 0;
          }

          @Override
          void closeNetwork() {
            devices.close();
          }
        };
    for (int i = 0; i < count; i++) {
      DeviceOptions first = DeviceOptions.of("node" + i, Gid.ofIpv4(0x0a00_0001 + i));
      nodes.contexts.add(devices.device(first.withPort(Gid.ofIpv4(0x0a01_0001 + i))).open());
    }
    return nodes;
  }

  /**
   * Nodes on UDP sockets of 127.0.0.1, 127.0.0.2 and so on; their second ports have 127.1.0.1 and
   * so on.
   */
  static Nodes onUdp(int count) {
    Nodes nodes =
        new Nodes() {
          @Override
          boolean mayStillCome(long waitedNs) {
            return waitedNs < 50_000_000;
          }

          @Override
          void closeNetwork() {}
        };
    int udpPort = Loopback.freeUdpPort(InetAddress.ofLiteral("127.0.0.1"));
    for (int i = 0; i < count; i++) {
      DeviceOptions first = DeviceOptions.of("node" + i, Gid.ofIpv4(0x7f00_0001 + i));
      nodes.contexts.add(
          Emulator.device(first.withPort(Gid.ofIpv4(0x7f01_0001 + i)).withUdpPort(udpPort)).open());
    }
    return nodes;
  }

  Context context(int node) {
    return contexts.get(node % contexts.size());
  }

  int count() {
    return contexts.size();
  }

  /** Whether an unreliable message may still arrive after {@code waitedNs} without an arrival. */
  abstract boolean mayStillCome(long waitedNs);

  abstract void closeNetwork();

  @Override
  public void close() {
    contexts.forEach(Context::close);
    closeNetwork();
  }
}
