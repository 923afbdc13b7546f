package org.roce4j.drive;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.port.Port;

/** Runs the engines of a device on its ports, each as its port allows. */
public final class DeviceDriver implements AutoCloseable {
  /** The driver of each engine, by index. */
  private final List<? extends EngineDriver> each;

  /** Runs all engines; the driver itself if there is one engine. */
  private final Progress whole;

  /** A driver with look-ins every millisecond. */
  public DeviceDriver(String name, List<Engine> engines, List<? extends Port> ports) {
    this(name, engines, ports, EngineDriver.LOOK_IN_NS);
  }

  /**
   * @param name name of the device, for threads and messages
   * @param engines the device's engines, by index
   * @param ports port of each engine; if there are several, any thread may drive each
   * @param lookInNs nanoseconds between look-ins of an engine's background thread; see {@link
   *     AnyThreadDriver}
   */
  public DeviceDriver(
      String name, List<Engine> engines, List<? extends Port> ports, long lookInNs) {
    if (!ports.getFirst().capabilities().anyThread()) {
      LoopThreadDriver only =
          new LoopThreadDriver(name, engines.getFirst(), ports.getFirst(), lookInNs);
      each = List.of(only);
      whole = only;
      return;
    }
    List<AnyThreadDriver> drivers = new ArrayList<>();
    for (int i = 0; i < engines.size(); i++) {
      drivers.add(new AnyThreadDriver(name, engines.get(i), ports.get(i), drivers, lookInNs));
    }
    each = drivers;
    whole = drivers.size() == 1 ? drivers.getFirst() : new EveryEngine(drivers);
  }

  /** The driver of each engine, by index. */
  public List<? extends EngineDriver> each() {
    return each;
  }

  /** The progress of all engines, for verbs and waits that concern more than one. */
  public Progress whole() {
    return whole;
  }

  /** Starts the background threads. */
  public void start() {
    each.forEach(EngineDriver::start);
  }

  /** Stops every engine, as {@link EngineDriver#close} does. */
  @Override
  public void close() {
    each.forEach(EngineDriver::close);
  }
}
