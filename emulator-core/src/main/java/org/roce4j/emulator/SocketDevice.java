package org.roce4j.emulator;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.roce4j.device.Device;
import org.roce4j.device.DeviceChanges;
import org.roce4j.device.EmulatedContext;
import org.roce4j.device.GidTable;
import org.roce4j.device.Neighbours;
import org.roce4j.device.QueuePairs;
import org.roce4j.device.Situation;
import org.roce4j.drive.DeviceDriver;
import org.roce4j.emulator.jfr.FlightRecorderTrace;
import org.roce4j.emulator.statistics.PsnWindow;
import org.roce4j.emulator.statistics.PublishedStatistics;
import org.roce4j.emulator.statistics.QueuePairStatistics;
import org.roce4j.engine.Engine;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.port.PortSwitch;
import org.roce4j.port.capture.CaptureFile;
import org.roce4j.port.capture.CapturePort;
import org.roce4j.port.fault.FaultPort;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.VerbsProvider;
import org.roce4j.wire.PathMtu;

/**
 * An emulated device on UDP sockets. Opening the first context binds them, and closing the last one
 * releases them; contexts in between share the device.
 */
final class SocketDevice implements EmulatedDevice {
  /** The devices that sockets of this process can reach, by UDP port. */
  private static final Map<Integer, Neighbours> NEIGHBOURS = new ConcurrentHashMap<>();

  private final VerbsProvider provider;
  private final DeviceOptions options;
  private Device device;
  private DeviceDriver driver;
  private List<PortSwitch> ports;
  private PortStates states;
  private Optional<PublishedStatistics> statistics = Optional.empty();
  private Optional<ImposedPlan> imposed = Optional.empty();
  private int contexts;
  private boolean remembersOrigins;

  SocketDevice(VerbsProvider provider, DeviceOptions options) {
    this.provider = provider;
    this.options = options;
  }

  @Override
  public String name() {
    return options.name();
  }

  @Override
  public long guid() {
    return guidOf(options.addresses().getFirst());
  }

  /** A GUID derived from the address, marked as locally administered. */
  static long guidOf(Gid gid) {
    return gid.isIpv4Mapped()
        ? 0x0200_00ff_fe00_0000L | (gid.ipv4() & 0xff000000L) << 24 | (gid.ipv4() & 0xffffffL)
        : gid.high() * 31 + gid.low() | 0x0200_0000_0000_0000L;
  }

  @Override
  public VerbsProvider provider() {
    return provider;
  }

  @Override
  public synchronized Context open() {
    if (contexts == 0) {
      start();
    }
    contexts++;
    try {
      Context context = EmulatedContext.open(device, this::contextClosed);
      return imposed.map(plan -> plan.around(context, System::nanoTime)).orElse(context);
    } catch (RuntimeException | Error e) {
      contextClosed();
      throw e;
    }
  }

  private void start() {
    DeviceAddresses.checkLocal(options.allAddresses());
    PortOptions portOptions =
        new PortOptions(options.allAddresses(), options.udpPort(), options.checkIcrc());
    List<Port> opened =
        new ArrayList<>(
            PortSelection.choose(options.transport()).openSeveral(portOptions, options.engines()));
    try {
      capture(opened);
      faulty(opened);
      ports = opened.stream().map(PortSwitch::new).toList();
      states = new PortStates(ports);
      device =
          new Device(
              this,
              options.limits(),
              new GidTable(options.firstGidIndex(), options.ports()),
              activeMtu(),
              random(options.seed()),
              FlightRecorderTrace.before(options.trace(), options.name(), this::sinceEpochNs),
              options.engines());
      List<Engine> engines = IntStream.range(0, ports.size()).mapToObj(device::engine).toList();
      driver = new DeviceDriver(options.name(), engines, ports);
      device.attach(new EveryPort(ports, states), driver.whole(), driver.each());
      driver.start();
      neighbours().enter(device);
      device.routes(new HostRoutes(device::addresses, device::addressesUp));
      statistics = published(device);
      if (remembersOrigins) {
        device.rememberOrigins();
      }
    } catch (RuntimeException | Error e) {
      if (driver != null) {
        stop();
      } else {
        opened.forEach(Port::close);
        ImposedPlan.closed(this, imposed);
      }
      throw e;
    }
  }

  private long sinceEpochNs() {
    return driver.whole().sinceEpochNs(driver.whole().nowNs());
  }

  /**
   * The capture is next to the socket, so it shows what was really sent, and what faults above it
   * dropped.
   */
  private void capture(List<Port> opened) {
    if (options.capture() != null) {
      CaptureFile file =
          new CaptureFile(
              options.capture(),
              options.name(),
              options.snaplen(),
              options.captureExtent(),
              opened.size());
      Clock clock = Clock.systemUTC();
      opened.replaceAll(port -> new CapturePort(port, options.udpPort(), file, clock));
    }
  }

  private void faulty(List<Port> opened) {
    imposed = ImposedPlan.atSocket(this);
    opened.replaceAll(this::faulty);
  }

  private Port faulty(Port port) {
    Port own = options.faults().rules().isEmpty() ? port : new FaultPort(port, options.faults());
    return imposed.map(plan -> plan.around(own)).orElse(own);
  }

  private Neighbours neighbours() {
    return NEIGHBOURS.computeIfAbsent(options.udpPort(), port -> new Neighbours());
  }

  private void stop() {
    neighbours().leave(device);
    statistics.ifPresent(PublishedStatistics::close);
    statistics = Optional.empty();
    DeviceDriver stopped = driver;
    device = null;
    driver = null;
    try {
      stopped.close();
    } finally {
      ImposedPlan.closed(this, imposed);
    }
  }

  private Optional<PublishedStatistics> published(Device opened) {
    Context observer = EmulatedContext.open(opened, () -> {});
    List<String> addresses = options.allAddresses().stream().map(gid -> gid.addressText()).toList();
    return PublishedStatistics.publish(
        options.name(),
        addresses,
        observer::counters,
        () -> QueuePairs.of(opened, QueuePairStatistics::new));
  }

  static RandomGenerator random(long seed) {
    return seed == 0 ? new SecureRandom() : new SplittableRandom(seed);
  }

  private Mtu activeMtu() {
    Mtu asked = options.activeMtu();
    return asked == null ? interfaceMtu(options.addresses().getFirst()) : asked;
  }

  private static Mtu interfaceMtu(Gid address) {
    try {
      NetworkInterface network = NetworkInterface.getByInetAddress(address.toInetAddress());
      int mtu = network == null ? 65536 : network.getMTU();
      return Mtu.of(PathMtu.ofNetdev(mtu).code());
    } catch (SocketException e) {
      return Mtu.MTU_1024;
    }
  }

  @Override
  public synchronized void port(int portNum, boolean up) {
    if (device != null) {
      states.port(device, portNum, up);
    }
  }

  @Override
  public synchronized void pkeys(int... table) {
    changes().pkeys(table);
  }

  private DeviceChanges changes() {
    if (device == null) {
      throw Errno.ENODEV.refusal("the device is not open: open it first");
    }
    return new DeviceChanges(device);
  }

  private DeviceChanges changes(int portNum) {
    DeviceChanges changes = changes();
    PortStates.check(device, portNum);
    return changes;
  }

  @Override
  public synchronized void addAddress(int portNum, Gid address) {
    DeviceAddresses.checkLocal(List.of(DeviceAddresses.check(address)));
    changes(portNum).addAddress(portNum, address);
    addressesChanged();
  }

  @Override
  public synchronized void removeAddress(int portNum, Gid address) {
    changes(portNum).removeAddress(portNum, DeviceAddresses.check(address));
    addressesChanged();
  }

  private void addressesChanged() {
    neighbours().renew(device);
    states.apply(device);
  }

  @Override
  public synchronized void fail(SharedReceiveQueue srq) {
    changes().fail(srq);
  }

  @Override
  public synchronized void fail(String why) {
    if (device != null) {
      new DeviceChanges(device).fail(why);
    }
  }

  @Override
  public synchronized long completed() {
    return device == null ? 0 : device.completed();
  }

  @Override
  public synchronized List<String> waitsFor() {
    return device == null ? List.of() : Situation.of(device);
  }

  @Override
  public synchronized List<PsnWindow> psnWindows() {
    return device == null ? List.of() : QueuePairs.windows(device, PsnWindow::new);
  }

  @Override
  public synchronized void rememberOrigins() {
    remembersOrigins = true;
    if (device != null) {
      device.rememberOrigins();
    }
  }

  @Override
  public Map<AutoCloseable, StackTraceElement> openObjects() {
    Device opened;
    synchronized (this) {
      opened = device;
    }
    return opened == null ? Map.of() : opened.openObjects();
  }

  private synchronized void contextClosed() {
    if (--contexts == 0) {
      stop();
    }
  }

  @Override
  public String toString() {
    return name();
  }
}
