package org.roce4j.device;

import org.roce4j.engine.Engine;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.Wrapper;

/** Changes a device from outside, and informs its contexts by events. Thread-safe. */
public final class DeviceChanges {
  private final Device device;

  public DeviceChanges(Device device) {
    this.device = device;
  }

  /** Informs every context that the port went up or down. */
  public void port(int port, boolean up) {
    device
        .progress()
        .exclusively(
            () -> {
              if (!up) {
                device.engine(0).counters().increment(Counter.LINK_DOWNED);
              }
              device.tell(port, up ? EventType.PORT_ACTIVE : EventType.PORT_ERR);
            });
  }

  /**
   * Replaces the P_Key table; every queue pair then uses the new key at its index. Raises
   * PKEY_CHANGE unless the table is unchanged.
   */
  public void pkeys(int... table) {
    int[] asked = RequiredArgument.check(table, "table").clone();
    whileSound(
        () -> {
          if (!device.pkeys().set(asked)) {
            return;
          }
          for (Engine engine : device.engines()) {
            engine.queuePairs().pkeysChanged();
          }
          for (int port = 1; port <= device.ports(); port++) {
            device.tell(port, EventType.PKEY_CHANGE);
          }
        });
  }

  /** Adds an address and raises GID_CHANGE. */
  public void addAddress(int port, Gid address) {
    whileSound(() -> new AddressChanges(device, port).add(address));
  }

  /** Removes an address and raises GID_CHANGE. */
  public void removeAddress(int port, Gid address) {
    whileSound(() -> new AddressChanges(device, port).remove(address));
  }

  /** Makes a shared receive queue fail, like a defect of the device. */
  public void fail(SharedReceiveQueue srq) {
    if (!(Wrapper.innermost(srq) instanceof EmulatedSharedReceiveQueue own
        && own.device == device)) {
      throw new VerbsException(
          Errno.EINVAL, "srq is " + (srq == null ? "missing" : "of another device"));
    }
    own.whileOpen(own::fail);
  }

  /** Makes the device fail, like an internal error. */
  public void fail(String why) {
    device.progress().exclusively(() -> device.engine(0).fail(new VerbsException(Errno.EIO, why)));
  }

  private void whileSound(Runnable change) {
    device
        .progress()
        .exclusively(
            () -> {
              device.requireSound();
              change.run();
            });
  }
}
