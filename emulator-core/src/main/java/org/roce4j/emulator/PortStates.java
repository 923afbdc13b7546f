package org.roce4j.emulator;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.roce4j.device.Device;
import org.roce4j.device.DeviceChanges;
import org.roce4j.port.PortSwitch;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;

/**
 * The states of a device's ports. One of several ports consists of its addresses: while it is down
 * they are silent, and the sockets serve the other ports. Thread-safe.
 */
final class PortStates {
  private final List<PortSwitch> switches;
  private final Set<Integer> down = new TreeSet<>();

  PortStates(List<PortSwitch> switches) {
    this.switches = switches;
  }

  /** Takes a port down or up, and raises the event in all contexts. */
  void port(Device device, int port, boolean up) {
    check(device, port);
    synchronized (this) {
      if (up) {
        down.remove(port);
      } else {
        down.add(port);
      }
      apply(device);
    }
    new DeviceChanges(device).port(port, up);
  }

  /** The addresses of the ports have changed. */
  synchronized void apply(Device device) {
    if (device.ports() == 1) {
      switches.forEach(each -> each.up(down.isEmpty()));
      return;
    }
    Set<Gid> silent = new HashSet<>();
    down.forEach(port -> silent.addAll(device.addresses(port)));
    switches.forEach(each -> each.silence(silent));
  }

  synchronized PortState state(int port) {
    return down.contains(port) ? PortState.DOWN : PortState.ACTIVE;
  }

  /**
   * Checks that the device has the port.
   *
   * @throws VerbsException EINVAL
   */
  static void check(Device device, int port) {
    RequiredArgument.checkRange(port, 1, device.ports(), "portNum");
  }
}
