package org.roce4j.service;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.util.function.Function;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.robustness.Loopback;
import org.roce4j.verbs.Gid;

/** The network of devices with several ports, with the number of engines of each device. */
enum PortsNetwork {
  FABRIC(1),
  FABRIC_4(4),
  /** IPv6 addresses that differ only in their first half. */
  TWINS(1),
  LINUX(1),
  LINUX_4(4),
  NETTY(1);

  private final int engines;

  PortsNetwork(int engines) {
    this.engines = engines;
  }

  /** Creates devices on a new network. Only Linux has every address of 127/8. */
  Function<DeviceOptions, EmulatedDevice> network() {
    if (this == FABRIC || this == FABRIC_4 || this == TWINS) {
      FabricDevices devices = new FabricDevices(FabricOptions.of(1));
      return options -> devices.device(options.withEngines(engines));
    }
    assumeTrue(OS.LINUX.isCurrentOs());
    String transport = this == NETTY ? "netty" : "linux";
    int udpPort = Loopback.freeUdpPort(InetAddress.ofLiteral("0.0.0.0"));
    return options ->
        Emulator.device(options.withTransport(transport).withUdpPort(udpPort).withEngines(engines));
  }

  /** The address with this number. */
  Gid address(int number) {
    return Gid.parse(this == TWINS ? "fd00:%d::7".formatted(number) : "127.47.0." + number);
  }

  /** The multicast group of the network. */
  Gid group() {
    return Gid.parse(this == TWINS ? "ff1e:47::7" : "239.255.47.47");
  }
}
