package org.roce4j.emulator;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsProvider;

/**
 * Lists the devices that an emulator offers without being told more: two on loopback addresses, and
 * one for each network interface that is up, with its addresses.
 */
public final class EmulatorProvider implements VerbsProvider {
  static final EmulatorProvider INSTANCE = new EmulatorProvider();

  @Override
  public String name() {
    return "emulator";
  }

  @Override
  public List<RdmaDevice> devices() {
    List<RdmaDevice> devices = new ArrayList<>();
    devices.add(device("roce0", Gid.parse("127.0.0.1")));
    if (!System.getProperty("os.name", "").startsWith("Mac")) {
      devices.add(device("roce1", Gid.parse("127.0.0.2")));
    }
    try {
      for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        addInterface(devices, network);
      }
    } catch (SocketException e) {
      // Without a list of interfaces there are the loopback devices.
    }
    return devices;
  }

  private void addInterface(List<RdmaDevice> devices, NetworkInterface network)
      throws SocketException {
    if (!network.isUp() || network.isLoopback()) {
      return;
    }
    List<Gid> gids = new ArrayList<>();
    for (InetAddress address : Collections.list(network.getInetAddresses())) {
      boolean linkLocal = address instanceof Inet6Address && address.isLinkLocalAddress();
      if (!linkLocal) {
        gids.add(Gid.of(address));
      }
    }
    if (!gids.isEmpty()) {
      devices.add(device("roce_" + network.getName(), gids.toArray(Gid[]::new)));
    }
  }

  private RdmaDevice device(String name, Gid... addresses) {
    return new SocketDevice(this, DeviceOptions.of(name, addresses));
  }

  @Override
  public Optional<String> unavailable() {
    return Optional.empty();
  }
}
