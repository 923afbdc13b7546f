package org.roce4j.device;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.cm.ConnectionManager;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.PKey;
import org.roce4j.wire.mad.Mad;

/**
 * An opened device as the connection manager's API uses it. The connection manager is changed only
 * by the owner of the engine that has queue pair 1.
 */
public final class CmDevice {
  private final EmulatedContext context;
  private final Device device;
  private final Engine engine;

  private CmDevice(EmulatedContext context) {
    this.context = context;
    device = context.emulated();
    engine = device.engineOf(Mad.QPN);
  }

  /**
   * The connection manager's view of an opened device.
   *
   * @throws VerbsException EINVAL for another backend's context
   */
  public static CmDevice of(Context context) {
    if (!(context instanceof EmulatedContext own)) {
      throw new VerbsException(Errno.EINVAL, context + " is not of an emulated device");
    }
    return new CmDevice(own);
  }

  public Context context() {
    return context;
  }

  /**
   * The devices whose contexts are open, each by the first of its contexts.
   *
   * @throws VerbsException ENODEV if there is none
   */
  public static List<CmDevice> open(List<CmDevice> some) {
    List<CmDevice> open = new ArrayList<>();
    for (CmDevice each : some) {
      if (each.isOpen() && open.stream().noneMatch(each::isSame)) {
        open.add(each);
      }
    }
    if (open.isEmpty()) {
      throw new VerbsException(Errno.ENODEV, "closed: " + some + "; open the device again");
    }
    return open;
  }

  public boolean isOpen() {
    return !context.objects().closed();
  }

  /** The bindings of the ids of all contexts of the device. */
  public PortBindings bindings() {
    return device.bindings();
  }

  /** The index of an address in the GID table of the port that has it, or -1. */
  public int gidIndex(Gid address) {
    return device.gidIndex(address.high(), address.low());
  }

  /**
   * The index of the default partition, to which all ids belong.
   *
   * @throws VerbsException EINVAL if the device is not a member of it
   */
  public int pkeyIndex() {
    int index = device.partitionIndex(PKey.DEFAULT);
    if (index < 0) {
      throw new VerbsException(
          Errno.EINVAL, this + " is not in the default partition, where connections are made");
    }
    return index;
  }

  /** The port that has an address, or 0. */
  public int portOf(Gid address) {
    return device.gidTable().portOf(address);
  }

  /**
   * The first address of the IP version of {@code like}; null if there is none.
   *
   * @param choice ANY: also an address of a port that is down
   */
  public Gid ownAddress(Gid like, Routes.Choice choice) {
    List<Gid> some = choice == Routes.Choice.ANY ? device.addresses() : device.addressesUp();
    return some.stream()
        .filter(each -> each.isIpv4Mapped() == like.isIpv4Mapped())
        .findFirst()
        .orElse(null);
  }

  public Mtu activeMtu() {
    return device.activeMtu();
  }

  public Routes routes() {
    return device.routes();
  }

  /**
   * Runs {@code call} as the engine's owner, then sends the datagrams that it caused.
   *
   * @throws VerbsException ENODEV if the context is closed
   */
  public <T> T exclusively(Supplier<T> call) {
    return progress()
        .exclusively(
            () -> {
              context.objects().checkNotClosed();
              return call.get();
            });
  }

  /**
   * Registers an action that runs before the context closes, as the owner of all engines. Any
   * thread may call this.
   */
  public void beforeClose(Runnable farewell) {
    context.objects().beforeClose(farewell);
  }

  public void beforeCloseNoMore(Runnable farewell) {
    context.objects().beforeCloseNoMore(farewell);
  }

  /**
   * The calling thread creates an object of the connection manager. If the device remembers
   * origins, it reports the object as open until {@link #forget}.
   */
  public void remember(AutoCloseable object) {
    context.objects().remember(object);
  }

  public void forget(AutoCloseable object) {
    context.objects().forget(object);
  }

  /** The connection manager. For the engine's owner. */
  public ConnectionManager manager() {
    return engine.connectionManager();
  }

  /** The clock of its deadlines, in nanoseconds. */
  public long nowNs() {
    return progress().nowNs();
  }

  /**
   * An event was reported: wakes waiting threads and runs the hook after the engine is released.
   * For the engine's owner.
   *
   * @param hook may be null
   */
  public void signal(Runnable hook) {
    engine.signals().event(hook);
  }

  /** The progress with which a thread waits for reports. */
  public Progress progress() {
    return engine.drive();
  }

  /** Whether both belong to the same device, possibly with different contexts. */
  public boolean isSame(CmDevice other) {
    return device == other.device;
  }

  @Override
  public String toString() {
    return context.toString();
  }
}
