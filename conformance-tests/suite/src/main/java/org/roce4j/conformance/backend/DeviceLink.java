package org.roce4j.conformance.backend;

import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

/** New contexts of two devices, in real time. */
record DeviceLink(
    Context near, Context far, Gid nearAddress, Gid farAddress, int nearGidIndex, int farGidIndex)
    implements RealTimeLink {
  private static final long PATIENCE_NS = 3_000_000_000L;

  static DeviceLink between(DeviceEnd near, DeviceEnd far) {
    Context first = near.device().open();
    Context second = null;
    try {
      second = far.device().open();
    } finally {
      if (second == null) {
        first.close();
      }
    }
    return new DeviceLink(
        first, second, near.address(), far.address(), near.gidIndex(), far.gidIndex());
  }

  @Override
  public long patienceNs() {
    return PATIENCE_NS;
  }

  @Override
  public void port(boolean up) {
    throw new IllegalStateException(Capability.PORT_CONTROL.absence());
  }

  @Override
  public void close() {
    near.close();
    far.close();
  }
}
