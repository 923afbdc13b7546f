package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.roce4j.device.Device;
import org.roce4j.device.DeviceChanges;
import org.roce4j.device.EmulatedContext;
import org.roce4j.device.GidTable;
import org.roce4j.device.Neighbours;
import org.roce4j.device.QueuePairs;
import org.roce4j.device.Routes;
import org.roce4j.device.Situation;
import org.roce4j.emulator.jfr.FlightRecorderTrace;
import org.roce4j.emulator.statistics.PsnWindow;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.FabricPort;
import org.roce4j.fabric.Steering;
import org.roce4j.port.PortSwitch;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.VerbsProvider;

/**
 * Devices on one virtual network in virtual time, without sockets or threads. Time passes while
 * every thread that uses the network waits, polls in vain or is away; see {@link FabricTime}.
 * Thread-safe. Repeatable if one thread drives everything, or if several threads interact only
 * through the network.
 */
public final class FabricDevices implements AutoCloseable {
  private final Fabric fabric;
  private final Neighbours neighbours = new Neighbours();
  private final FabricLock lock = new FabricLock();
  private final FabricTime time;
  private long nextSeed;

  /** Null if there is no device yet. */
  private Optional<ImposedPlan> imposed;

  /**
   * An empty network at time 0. Devices with the same options, created in the same order, have the
   * same queue pair numbers and keys in every run.
   */
  public FabricDevices(FabricOptions options) {
    fabric = new Fabric(options);
    time = new FabricTime(fabric, lock);
    nextSeed = options.seed() * 1000 + 1;
  }

  /** The network, whose links can be broken and repaired. */
  public Fabric fabric() {
    return fabric;
  }

  /**
   * Lets time pass, from now on, only when the caller steps {@link #fabric}: a poll that finds
   * nothing steps nothing, and a wait ends at once, as if its time were over.
   */
  public FabricDevices stopTime() {
    lock.hold();
    try {
      time.stop();
      return this;
    } finally {
      lock.release();
    }
  }

  /**
   * Declares the calling thread to be the only user of the network. Time then passes without a
   * search for other threads, which takes a system call for each thread of the process. On any
   * other thread, a verb that runs engines fails with EPERM.
   */
  public FabricDevices forOneThread() {
    lock.hold();
    try {
      lock.keepFor(Thread.currentThread());
      time.forOneThread();
      return this;
    } finally {
      lock.release();
    }
  }

  /** A device with these addresses, attached to the network. */
  public EmulatedDevice device(String name, Gid... addresses) {
    return device(options(name, addresses));
  }

  /** Options of a device with these addresses and the next seed derived from the network's. */
  public DeviceOptions options(String name, Gid... addresses) {
    return DeviceOptions.of(name, addresses)
        .withActiveMtu(Mtu.MTU_4096)
        .withSeed(nextSeed++)
        .withLimits(DeviceLimits.DEFAULT)
        .withTrace(EngineTrace.NONE);
  }

  /** A device with these options, as far as they apply to a virtual network. */
  public EmulatedDevice device(DeviceOptions options) {
    return device(options, Steering.DEST_QP);
  }

  /**
   * A device with these options, as far as they apply to a virtual network.
   *
   * @param steering chooses the engine that receives a datagram; engines hand datagrams of other
   *     engines over
   */
  public EmulatedDevice device(DeviceOptions options, Steering steering) {
    DeviceAddresses.check(options);
    lock.hold();
    try {
      FabricDevice identity = new FabricDevice(options);
      Device device =
          new Device(
              identity,
              options.limits(),
              new GidTable(options.firstGidIndex(), options.ports()),
              options.activeMtu() == null ? Mtu.MTU_4096 : options.activeMtu(),
              SocketDevice.random(options.seed()),
              FlightRecorderTrace.before(options.trace(), options.name(), fabric::nowNs),
              options.engines());
      identity.start(
          device,
          fabric.attach(options.name(), options.allAddresses(), options.engines(), steering));
      neighbours.enter(device);
      device.routes(
          (destination, choice) ->
              source(
                  choice == Routes.Choice.ANY ? device.addresses() : device.addressesUp(),
                  destination));
      if (imposed == null) {
        impose(identity);
      }
      return identity;
    } finally {
      lock.release();
    }
  }

  /** A plan that is not understood leaves no device behind. */
  private void impose(FabricDevice first) {
    try {
      imposed = ImposedPlan.atFabric(fabric, first.options.allAddresses());
      first.imposed = imposed;
    } catch (VerbsException e) {
      unplug(first);
      throw e;
    }
  }

  /**
   * The first address of the destination's IP version, if a device has the destination or it is a
   * group.
   */
  private Gid source(List<Gid> addresses, Gid destination) {
    return destination.isMulticast() || neighbours.knows(destination)
        ? addresses.stream()
            .filter(own -> own.isIpv4Mapped() == destination.isIpv4Mapped())
            .findFirst()
            .orElse(null)
        : null;
  }

  /**
   * Removes a device from the network without informing its peers: it sends nothing more, datagrams
   * in flight to it are lost, and another device can have its addresses. Its context can still be
   * closed.
   */
  public void unplug(EmulatedDevice device) {
    lock.hold();
    try {
      FabricDevice gone = (FabricDevice) device;
      gone.ports.forEach(PortSwitch::close);
      neighbours.leave(gone.device);
      lock.remove(gone.engines);
    } finally {
      lock.release();
    }
  }

  @Override
  public void close() {
    lock.hold();
    try {
      fabric.close();
      time.close();
      lock.forgetAll();
      if (imposed != null) {
        ImposedPlan.closed(this, imposed);
      }
    } finally {
      lock.release();
    }
  }

  @Override
  public String toString() {
    return "devices of the " + fabric;
  }

  private final class FabricDevice implements EmulatedDevice {
    private final DeviceOptions options;
    private final List<FabricEngine> engines = new ArrayList<>();
    private Device device;
    private List<PortSwitch> ports;
    private PortStates states;
    private Optional<ImposedPlan> imposed = Optional.empty();

    FabricDevice(DeviceOptions options) {
      this.options = options;
    }

    void start(Device started, List<FabricPort> attached) {
      device = started;
      ports = attached.stream().map(PortSwitch::new).toList();
      states = new PortStates(ports);
      List<FabricProgress> drives = new ArrayList<>();
      for (int i = 0; i < ports.size(); i++) {
        FabricEngine engine = new FabricEngine(fabric, device.engine(i), ports.get(i), engines);
        engines.add(engine);
        fabric.register(engine, attached.get(i));
        drives.add(new FabricProgress(fabric, lock, time, List.of(engine)));
      }
      device.attach(
          new EveryPort(ports, states), new FabricProgress(fabric, lock, time, engines), drives);
      lock.add(engines);
    }

    @Override
    public void port(int portNum, boolean up) {
      states.port(device, portNum, up);
    }

    @Override
    public void pkeys(int... table) {
      new DeviceChanges(device).pkeys(table);
    }

    @Override
    public void addAddress(int portNum, Gid address) {
      PortStates.check(device, portNum);
      new DeviceChanges(device).addAddress(portNum, DeviceAddresses.check(address));
      addressesChanged();
    }

    @Override
    public void removeAddress(int portNum, Gid address) {
      PortStates.check(device, portNum);
      new DeviceChanges(device).removeAddress(portNum, DeviceAddresses.check(address));
      addressesChanged();
    }

    private void addressesChanged() {
      neighbours.renew(device);
      states.apply(device);
    }

    @Override
    public void fail(SharedReceiveQueue srq) {
      new DeviceChanges(device).fail(srq);
    }

    @Override
    public void fail(String why) {
      new DeviceChanges(device).fail(why);
    }

    @Override
    public long completed() {
      return device.completed();
    }

    @Override
    public List<String> waitsFor() {
      return Situation.of(device);
    }

    @Override
    public List<PsnWindow> psnWindows() {
      return QueuePairs.windows(device, PsnWindow::new);
    }

    @Override
    public void rememberOrigins() {
      device.rememberOrigins();
    }

    @Override
    public Map<AutoCloseable, StackTraceElement> openObjects() {
      return device.openObjects();
    }

    @Override
    public String name() {
      return options.name();
    }

    @Override
    public long guid() {
      return SocketDevice.guidOf(options.addresses().getFirst());
    }

    @Override
    public VerbsProvider provider() {
      return EmulatorProvider.INSTANCE;
    }

    @Override
    public Context open() {
      Context context = EmulatedContext.open(device, () -> {});
      return imposed.map(plan -> plan.around(context, fabric::nowNs)).orElse(context);
    }

    @Override
    public String toString() {
      return name();
    }
  }
}
