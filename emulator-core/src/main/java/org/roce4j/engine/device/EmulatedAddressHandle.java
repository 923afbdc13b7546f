package org.roce4j.engine.device;

import org.roce4j.engine.datagram.AddressVector;
import org.roce4j.engine.qp.AddressVectors;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.ProtectionDomain;

final class EmulatedAddressHandle extends EmulatedObject implements AddressHandle {
  private final EmulatedProtectionDomain pd;
  private final AhAttr attr;
  private final AddressVector vector;

  private EmulatedAddressHandle(EmulatedProtectionDomain pd, AhAttr attr, AddressVector vector) {
    super(pd.context);
    this.pd = pd;
    this.attr = attr;
    this.vector = vector;
  }

  static EmulatedAddressHandle create(EmulatedProtectionDomain pd, AhAttr attr) {
    return new EmulatedAddressHandle(pd, attr, AddressVectors.check(pd.device.engine(0), attr));
  }

  @Override
  void enter() {
    device.countAddressHandle(1);
    pd.domain().joined();
  }

  AddressVector vector() {
    return vector;
  }

  @Override
  public ProtectionDomain pd() {
    return pd;
  }

  @Override
  public AhAttr attr() {
    return attr;
  }

  @Override
  void destroy(boolean forced) {
    device.countAddressHandle(-1);
    pd.domain().left();
  }
}
