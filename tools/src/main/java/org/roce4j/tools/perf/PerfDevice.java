package org.roce4j.tools.perf;

import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.tools.side.ChosenPort;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;

/** The opened device of one side, and its port. */
final class PerfDevice implements AutoCloseable {
  private final Context context;
  private final String transport;

  private PerfDevice(Context context, String transport) {
    this.context = context;
    this.transport = transport;
  }

  /**
   * Opens the device of {@code --device}, or makes one.
   *
   * @param address of the device to make
   */
  static PerfDevice open(PerfOptions options, Gid address) {
    if (options.device() != null) {
      RdmaDevice listed = options.configured().device(options.device());
      return new PerfDevice(
          options.faults().atVerbs(listed, System::nanoTime).open(), "device " + options.device());
    }
    DeviceOptions device =
        options.configured().made("roce0", address, options.gidIndex(), options.transport());
    RdmaDevice made = Emulator.device(options.faults().atPort(device, 0));
    return new PerfDevice(
        options.faults().atVerbs(made, System::nanoTime).open(),
        ChosenPort.of(device.transport()).name());
  }

  /**
   * Whether one processor is enough for a side: only where the thread that polls drives the port.
   */
  static boolean drivenByPoller(PerfOptions options) {
    return options.device() == null
        && ChosenPort.of(options.transport().toString()).name().equals("linux");
  }

  Context context() {
    return context;
  }

  /** The port in use. */
  String transport() {
    return transport;
  }

  @Override
  public void close() {
    context.close();
  }
}
