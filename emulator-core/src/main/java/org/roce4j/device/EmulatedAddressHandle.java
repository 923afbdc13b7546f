package org.roce4j.device;

import org.roce4j.engine.Limit;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.qp.AddressVectors;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.ProtectionDomain;

final class EmulatedAddressHandle extends EmulatedObject implements AddressHandle {
  private final EmulatedDomain pd;
  private final AhAttr attr;
  private Path path;

  private EmulatedAddressHandle(EmulatedDomain pd, AhAttr attr, Path path) {
    super(pd.objects, ObjectKind.ADDRESS_HANDLE);
    this.pd = pd;
    this.attr = attr;
    this.path = path;
  }

  static EmulatedAddressHandle create(EmulatedDomain pd, AhAttr attr) {
    return new EmulatedAddressHandle(pd, attr, AddressVectors.check(pd.device, attr));
  }

  @Override
  void enter() {
    device.counts().add(Limit.MAX_AH);
    boolean held = false;
    try {
      path = device.paths().hold(path);
      held = true;
    } finally {
      if (!held) {
        device.counts().remove(Limit.MAX_AH); // memory ran out
      }
    }
    pd.domain.joined();
  }

  /** The path; posted requests may use it after the handle is closed. */
  Path path() {
    return path;
  }

  @Override
  public ProtectionDomain pd() {
    return pd;
  }

  /** Whether requests of a queue pair of this domain and port may use it. */
  boolean serves(ProtectionDomain domain, int port) {
    return pd.beneath() == domain.beneath() && attr.portNum() == port;
  }

  @Override
  public AhAttr attr() {
    return attr;
  }

  @Override
  void destroy() {
    device.paths().release(path);
    device.counts().remove(Limit.MAX_AH);
    pd.domain.left();
  }
}
