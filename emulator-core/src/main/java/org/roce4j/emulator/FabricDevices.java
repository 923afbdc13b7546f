package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.roce4j.emulator.jfr.FlightRecorderTrace;
import org.roce4j.engine.device.Device;
import org.roce4j.engine.device.DeviceLimits;
import org.roce4j.engine.device.GidTable;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.FabricPort;
import org.roce4j.port.PortSwitch;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.NodeType;
import org.roce4j.verbs.TransportType;
import org.roce4j.verbs.VerbsProvider;

/**
 * Devices on one virtual network in virtual time: no socket, no thread. Time passes while some call
 * waits or polls in vain. Thread-safe; repeatable when one thread drives everything.
 */
public final class FabricDevices implements AutoCloseable {
  private final Fabric fabric;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<FabricProgress> nodes = new ArrayList<>();
  private long nextSeed;

  public FabricDevices(FabricOptions options) {
    fabric = new Fabric(options);
    nextSeed = options.seed() * 1000 + 1;
  }

  /** The network, to break and heal it. */
  public Fabric fabric() {
    return fabric;
  }

  /** A device attached under these addresses. */
  public EmulatedDevice device(String name, Gid... addresses) {
    return device(
        DeviceOptions.of(name, addresses)
            .withActiveMtu(Mtu.MTU_4096)
            .withSeed(nextSeed++)
            .withLimits(DeviceLimits.DEFAULT)
            .withTrace(EngineTrace.NONE));
  }

  /** A device with these options, as far as they concern a virtual network. */
  public EmulatedDevice device(DeviceOptions options) {
    DeviceAddresses.check(options.addresses());
    lock.lock();
    try {
      FabricPort port = fabric.attach(options.addresses());
      PortSwitch outer = new PortSwitch(port);
      VirtualDevice identity = new VirtualDevice(options, outer);
      Device device =
          new Device(
              identity,
              options.limits(),
              new GidTable(options.addresses(), options.firstGidIndex()),
              options.activeMtu() == null ? Mtu.MTU_4096 : options.activeMtu(),
              SocketDevice.random(options.seed()),
              FlightRecorderTrace.before(options.trace(), options.name()));
      FabricProgress progress = new FabricProgress(this, fabric, device.engine(0), outer);
      device.attach(SocketDevice.control(List.of(outer)), progress);
      fabric.register(progress, port);
      nodes.add(progress);
      identity.device = device;
      identity.progress = progress;
      return identity;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes a device off the network without a farewell: nothing of it is sent any more, what is
   * under way to it is lost, and another device can have its addresses. Its context can still be
   * closed.
   */
  public void unplug(EmulatedDevice device) {
    lock.lock();
    try {
      VirtualDevice gone = (VirtualDevice) device;
      gone.portSwitch.close();
      nodes.remove(gone.progress);
    } finally {
      lock.unlock();
    }
  }

  ReentrantLock lock() {
    return lock;
  }

  List<FabricProgress> nodes() {
    return nodes;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      fabric.close();
    } finally {
      lock.unlock();
    }
  }

  private static final class VirtualDevice implements EmulatedDevice {
    private final DeviceOptions options;
    private final PortSwitch portSwitch;
    private Device device;
    private FabricProgress progress;

    VirtualDevice(DeviceOptions options, PortSwitch portSwitch) {
      this.options = options;
      this.portSwitch = portSwitch;
    }

    @Override
    public void port(boolean up) {
      portSwitch.up(up);
      device.portChanged(up);
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
    public NodeType nodeType() {
      return NodeType.CA;
    }

    @Override
    public TransportType transportType() {
      return TransportType.IB;
    }

    @Override
    public VerbsProvider provider() {
      return EmulatorProvider.INSTANCE;
    }

    @Override
    public Context open() {
      return device.openContext(() -> {});
    }

    @Override
    public String toString() {
      return name();
    }
  }
}
