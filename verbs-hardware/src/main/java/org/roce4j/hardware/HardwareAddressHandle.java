package org.roce4j.hardware;

import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.ProtectionDomain;

/** {@code struct ibv_ah}. */
final class HardwareAddressHandle extends HardwareObject implements AddressHandle {
  private final HardwareProtectionDomain pd;
  private final AhAttr attr;

  HardwareAddressHandle(HardwareProtectionDomain pd, long address, AhAttr attr) {
    super(pd.context, address, Kind.ADDRESS_HANDLE, ObjectStructures.ahHandle(address));
    this.pd = pd;
    this.attr = attr;
  }

  @Override
  int destroy(Frame frame) {
    return library.destroyAh(frame, address);
  }

  @Override
  public ProtectionDomain pd() {
    return pd;
  }

  @Override
  public AhAttr attr() {
    return attr;
  }
}
