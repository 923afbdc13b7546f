package org.roce4j.conformance.backend;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;

/** New contexts of two emulated devices, and of a small one and one with two ports if asked for. */
abstract class EmulatedLink implements Link {
  private final EmulatedDevice nearDevice;
  private final Context near;
  private final Context far;
  private final List<Context> moreContexts = new ArrayList<>();
  private RdmaDevice smallDevice;
  private EmulatedDevice dualDevice;

  EmulatedLink(EmulatedDevice near, EmulatedDevice far) {
    nearDevice = near;
    this.near = near.open();
    this.far = far.open();
  }

  /** Another address of the near device. */
  abstract Gid more();

  /** Makes the device of {@link #small} and opens its first context. */
  abstract Context firstSmall();

  /** Makes the device of {@link #twoPorts}. */
  abstract EmulatedDevice newTwoPorts();

  @Override
  public final Context near() {
    return near;
  }

  @Override
  public final Context far() {
    return far;
  }

  @Override
  public final Gid nearAddress() {
    return near.queryGid(1, nearGidIndex());
  }

  @Override
  public final Gid farAddress() {
    return far.queryGid(1, farGidIndex());
  }

  @Override
  public final int nearGidIndex() {
    return 0;
  }

  @Override
  public final int farGidIndex() {
    return 0;
  }

  @Override
  public final void port(boolean up) {
    nearDevice.port(up);
  }

  @Override
  public final Gid addAddress() {
    nearDevice.addAddress(more());
    return more();
  }

  @Override
  public final void removeAddress(Gid address) {
    nearDevice.removeAddress(address);
  }

  @Override
  public final Context small() {
    Context opened = smallDevice == null ? firstSmall() : smallDevice.open();
    smallDevice = opened.device();
    return kept(opened);
  }

  @Override
  public final Context twoPorts() {
    if (dualDevice == null) {
      dualDevice = newTwoPorts();
    }
    return kept(dualDevice.open());
  }

  private Context kept(Context opened) {
    moreContexts.add(opened);
    return opened;
  }

  @Override
  public final void port(int portNum, boolean up) {
    dualDevice.port(portNum, up);
  }

  @Override
  public void close() {
    moreContexts.forEach(Context::close);
    near.close();
    far.close();
  }
}
