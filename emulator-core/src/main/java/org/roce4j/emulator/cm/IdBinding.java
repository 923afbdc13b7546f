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
import org.roce4j.verbs.text.Wording;

/**
 * The address and port to which an id is bound: of one device, or the wildcard on several devices.
 */
final class IdBinding {
  private final InetSocketAddress address;
  private final List<CmDevice> devices;
  private final List<PortBindings.Binding> taken;

  private IdBinding(
      InetSocketAddress address, List<CmDevice> devices, List<PortBindings.Binding> taken) {
    this.address = address;
    this.devices = devices;
    this.taken = taken;
  }

  /**
   * Takes a port of one device or of all devices.
   *
   * @param wanted port 0: an ephemeral port; the wildcard address: of every device
   * @throws VerbsException EADDRNOTAVAIL, EADDRINUSE
   */
  static IdBinding take(
      PortSpace space, InetSocketAddress wanted, IdOptions options, List<CmDevice> devices) {
    InetAddress address = wanted.getAddress();
    List<CmDevice> held = address.isAnyLocalAddress() ? devices : of(Gid.of(address), devices);
    if (held.isEmpty()) {
      throw Errno.EADDRNOTAVAIL.refusal(
          "%s is the address of none of %s", address.getHostAddress(), devices);
    }
    int port = wanted.getPort();
    PortBindings ephemeral = held.getFirst().bindings();
    Errno refused = null;
    for (int tries = port == 0 ? PortBindings.EPHEMERAL : 1; tries > 0; tries--) {
      int chosen = port == 0 ? ephemeral.nextEphemeral() : port;
      IdBinding made =
          new IdBinding(new InetSocketAddress(address, chosen), held, new ArrayList<>());
      refused = made.takeAll(space, options);
      if (refused == null) {
        return made;
      }
    }
    throw new VerbsException(
        refused,
        Wording.of(
            "another id is bound to %s in port space %s: close it, take another port or 0, or set"
                + " REUSEADDR of both",
            Wording.endpoint(wanted), space));
  }

  private static List<CmDevice> of(Gid address, List<CmDevice> devices) {
    return devices.stream()
        .filter(device -> device.gidIndex(address) >= 0)
        .findFirst()
        .map(List::of)
        .orElse(List.of());
  }

  /** Takes the port on every device or on none. Returns null if it was taken. */
  private Errno takeAll(PortSpace space, IdOptions options) {
    InetAddress at = address.getAddress();
    for (CmDevice device : devices) {
      var own =
          new PortBindings.Binding(
              space.value(), address.getPort(), Gid.of(at), at.isAnyLocalAddress());
      Errno refused = device.bindings().take(own, terms(options));
      if (refused != null) {
        release();
        return refused;
      }
      taken.add(own);
    }
    return null;
  }

  /** The options of the id have changed. */
  void allow(IdOptions options) {
    for (int i = 0; i < taken.size(); i++) {
      devices.get(i).bindings().allow(taken.get(i), terms(options));
    }
  }

  private PortBindings.Terms terms(IdOptions options) {
    return new PortBindings.Terms(options.reuseAddr(), options.afOnly(address.getAddress()));
  }

  /** The address with its port. */
  InetSocketAddress address() {
    return address;
  }

  /**
   * The devices that are open.
   *
   * @throws VerbsException ENODEV if there is none
   */
  List<CmDevice> devices() {
    return CmDevice.open(devices);
  }

  /**
   * Makes the binding exclusive: no other id can be bound to the same port.
   *
   * @param options options of the id, which apply again if this is refused
   * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL
   */
  void listen(IdOptions options) {
    for (int i = 0; i < taken.size(); i++) {
      Errno refused = devices.get(i).bindings().listen(taken.get(i));
      if (refused != null) {
        allow(options);
        throw new VerbsException(
            refused,
            Wording.of(
                "another id is bound to %s, but one that listens is alone: close the other, or"
                    + " listen on another port",
                Wording.endpoint(address)));
      }
    }
  }

  void release() {
    for (int i = 0; i < taken.size(); i++) {
      devices.get(i).bindings().release(taken.get(i));
    }
    taken.clear();
  }
}
