package org.roce4j.robustness;

import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.Steering;
import org.roce4j.verbs.RdmaDevice;

/** Creates devices that reach each other, on sockets or on a virtual network. */
final class AnyNetwork implements AutoCloseable {
  static final String FABRIC = "fabric";

  private final String transport;
  private final int engines;
  private final FabricDevices fabric;
  private int made;

  /**
   * @param transport {@code linux}, {@code netty} or {@code fabric}; {@code linux-4}, {@code
   *     fabric-4} for devices of four engines
   */
  AnyNetwork(String transport) {
    this(transport, "");
  }

  /**
   * @param links options of the links of a virtual network, such as {@code loss=1%}
   */
  AnyNetwork(String transport, String links) {
    String[] parts = transport.split("-");
    this.transport = parts[0];
    engines = parts.length == 1 ? 1 : Integer.parseInt(parts[1]);
    fabric =
        this.transport.equals(FABRIC)
            ? new FabricDevices(FabricOptions.parse("seed=1 " + links))
            : null;
  }

  boolean isVirtual() {
    return fabric != null;
  }

  /** Another device, with an address of its own. */
  RdmaDevice device() {
    String name = "robust" + made++;
    DeviceOptions options = DeviceOptions.of(name, Loopback.fresh()).withEngines(engines);
    return fabric != null
        ? fabric.device(options.withSeed(made), Steering.SOURCE)
        : Emulator.device(options.withTransport(transport));
  }

  @Override
  public void close() {
    if (fabric != null) {
      fabric.close();
    }
  }
}
