package org.roce4j.robustness;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.roce4j.device.Device;
import org.roce4j.device.EmulatedContext;
import org.roce4j.device.GidTable;
import org.roce4j.device.PortControl;
import org.roce4j.drive.DeviceDriver;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.PortSelection;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Engine;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;

/**
 * A device on sockets whose background threads and followers make their periodic checks only after
 * minutes: a lost wake-up shows.
 */
final class UnattendedDevice implements AutoCloseable {
  private static final long LOOK_IN_NS = 600_000_000_000L;

  final List<Port> ports;
  final DeviceDriver driver;
  private final Device device;

  UnattendedDevice(String transport, int engineCount) {
    Gid address = Loopback.fresh();
    ports =
        PortSelection.choose(transport).openSeveral(PortOptions.of(List.of(address)), engineCount);
    device =
        new Device(
            Emulator.device(DeviceOptions.of("unattended", address)),
            DeviceLimits.DEFAULT,
            new GidTable(List.of(address), 0),
            Mtu.MTU_1024,
            new SplittableRandom(address.low()),
            EngineTrace.NONE,
            engineCount);
    List<Engine> engines = IntStream.range(0, engineCount).mapToObj(device::engine).toList();
    driver = new DeviceDriver("unattended", engines, ports, LOOK_IN_NS);
    device.attach(PortControl.NONE, driver.whole(), driver.each());
    driver.start();
  }

  Context open() {
    return EmulatedContext.open(device, () -> {});
  }

  /** A turn of the engine throws {@code defect}; the others learn of it from the device. */
  void fail(int engine, Throwable defect) {
    driver.each().get(engine).exclusively(() -> device.engine(engine).fail(defect));
  }

  @Override
  public void close() {
    driver.close();
  }
}
