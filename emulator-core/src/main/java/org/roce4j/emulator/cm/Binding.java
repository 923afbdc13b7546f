package org.roce4j.emulator.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.device.CmDevice;
import org.roce4j.device.PortBindings;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.PortSpace;

/** The address and port that an id is bound to: of one device, or the wildcard on several. */
final class Binding {
  private final InetSocketAddress address;
  private final List<CmDevice> devices;
  private final List<PortBindings.Binding> taken;

  private Binding(
      InetSocketAddress address, List<CmDevice> devices, List<PortBindings.Binding> taken) {
    this.address = address;
    this.devices = devices;
    this.taken = taken;
  }

  /**
   * Takes a port of one device or of all.
   *
   * @param wanted port 0: an ephemeral one; the wildcard address: of every device
   * @throws VerbsException EADDRNOTAVAIL, EADDRINUSE
   */
  static Binding take(
      PortSpace space, InetSocketAddress wanted, boolean shared, List<CmDevice> devices) {
    InetAddress address = wanted.getAddress();
    Gid gid = address.isAnyLocalAddress() ? null : Gid.of(address);
    List<CmDevice> held = gid == null ? devices : of(gid, devices);
    if (held.isEmpty()) {
      throw new VerbsException(
          Errno.EADDRNOTAVAIL,
          "%s is the address of none of %s".formatted(address.getHostAddress(), devices));
    }
    int port = wanted.getPort();
    PortBindings ephemeral = held.getFirst().bindings();
    for (int tries = port == 0 ? PortBindings.EPHEMERAL : 1; tries > 0; tries--) {
      int chosen = port == 0 ? ephemeral.nextEphemeral() : port;
      var entry = new PortBindings.Binding(space.value(), chosen, gid, shared);
      List<PortBindings.Binding> taken = takeAll(entry, held);
      if (taken != null) {
        return new Binding(new InetSocketAddress(address, chosen), held, taken);
      }
    }
    throw new VerbsException(
        Errno.EADDRINUSE, "another id is bound to %s in port space %s".formatted(wanted, space));
  }

  private static List<CmDevice> of(Gid address, List<CmDevice> devices) {
    return devices.stream()
        .filter(device -> device.gidIndex(address) >= 0)
        .findFirst()
        .map(List::of)
        .orElse(List.of());
  }

  /** Takes the port on every device or on none; null if on none. */
  private static List<PortBindings.Binding> takeAll(
      PortBindings.Binding entry, List<CmDevice> devices) {
    List<PortBindings.Binding> taken = new ArrayList<>();
    for (CmDevice device : devices) {
      var own =
          new PortBindings.Binding(
              entry.portSpace(), entry.port(), entry.address(), entry.shared());
      if (!device.bindings().take(own)) {
        release(devices, taken);
        return null;
      }
      taken.add(own);
    }
    return taken;
  }

  /** The address with its port. */
  InetSocketAddress address() {
    return address;
  }

  List<CmDevice> devices() {
    return devices;
  }

  /**
   * From now on no other id may be bound to the same port.
   *
   * @throws VerbsException EADDRINUSE
   */
  void listen() {
    for (int i = 0; i < taken.size(); i++) {
      if (!devices.get(i).bindings().listen(taken.get(i))) {
        for (int k = 0; k < i; k++) {
          devices.get(k).bindings().listenNoMore(taken.get(k));
        }
        throw new VerbsException(
            Errno.EADDRINUSE, "another id is bound to %s: one alone listens".formatted(address));
      }
    }
  }

  void release() {
    release(devices, taken);
    taken.clear();
  }

  private static void release(List<CmDevice> devices, List<PortBindings.Binding> taken) {
    for (int i = 0; i < taken.size(); i++) {
      devices.get(i).bindings().release(taken.get(i));
    }
  }
}
