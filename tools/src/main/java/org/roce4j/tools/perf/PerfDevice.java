package org.roce4j.tools.perf;

import java.util.Optional;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.PortSelection;
import org.roce4j.port.FaultPlan;
import org.roce4j.port.PortProvider;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;

/** The opened device of one side, and what carries its packets. */
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
      Context context = options.configured().device(options.device()).open();
      return new PerfDevice(context, "device " + options.device());
    }
    DeviceOptions device =
        options.configured().made("roce0", address, options.gidIndex(), options.transport());
    if (options.faults() != null) {
      device = device.withFaults(FaultPlan.parse(options.faults()));
    }
    return new PerfDevice(Emulator.device(device).open(), chosen(device.transport()));
  }

  /**
   * Whether one processor is enough for a side: only where the thread that polls drives the port.
   */
  static boolean drivenByPoller(PerfOptions options) {
    return options.device() == null && chosen(options.transport().toString()).equals("linux");
  }

  /** The name of the port that is taken. */
  static String chosen(String wanted) {
    if (!wanted.equals(DeviceOptions.AUTO)) {
      return wanted;
    }
    for (PortProvider port : PortSelection.providers()) {
      Optional<String> unavailable = port.unavailable();
      if (unavailable.isEmpty()) {
        return port.name();
      }
    }
    return wanted;
  }

  Context context() {
    return context;
  }

  /** The port in use. */
  String transport() {
    return transport;
  }

  /** The path MTU to offer: as asked for, at most what the device carries. */
  Mtu mtu(Mtu wanted) {
    return mtu(context, wanted);
  }

  static Mtu mtu(Context context, Mtu wanted) {
    Mtu active = context.queryPort(1).activeMtu();
    if (wanted != null && wanted.bytes() > active.bytes()) {
      throw ToolFailure.atRunTime(
          "path MTU "
              + wanted.bytes()
              + " is more than device "
              + context.device().name()
              + " carries, "
              + active.bytes()
              + "; choose -m "
              + active.bytes()
              + " or less");
    }
    return wanted == null ? active : wanted;
  }

  @Override
  public void close() {
    context.close();
  }
}
