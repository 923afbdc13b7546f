package org.roce4j.hardware;

import org.roce4j.hardware.bindings.Frame;
import org.roce4j.verbs.XrcDomain;

/** {@code struct ibv_xrcd}, which has no number. */
final class HardwareXrcDomain extends HardwareObject implements XrcDomain {
  HardwareXrcDomain(HardwareContext context, long address, int handle) {
    super(context, address, Kind.XRC_DOMAIN, handle);
  }

  @Override
  int destroy(Frame frame) {
    return context.extensions().closeXrcd(frame, address);
  }

  @Override
  public String toString() {
    return describe();
  }
}
