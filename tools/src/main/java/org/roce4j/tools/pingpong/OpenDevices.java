package org.roce4j.tools.pingpong;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.tools.console.OutputFile;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.options.TransportName;
import org.roce4j.tools.side.ChosenPort;
import org.roce4j.tools.side.LocalAddress;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;

/** The opened devices of one run, and the network between them. */
final class OpenDevices implements AutoCloseable {
  private static final Gid FIRST = Gid.of(InetAddress.ofLiteral("127.0.0.1"));
  private static final Gid SECOND = Gid.of(InetAddress.ofLiteral("127.0.0.2"));

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final List<Context> contexts = new ArrayList<>();
  private final LocalAddress local;
  private LongSupplier clock = System::nanoTime;
  private boolean virtualTime;
  private ChosenPort port;

  private OpenDevices(LocalAddress local) {
    this.local = local;
  }

  /**
   * Two devices, or a single device that talks to itself if there is only one address: with one
   * address in {@code --bind}, with {@code --device}, and by default on macOS, whose loopback
   * interface has 127.0.0.1 alone.
   */
  static OpenDevices forBothSides(PingPongOptions options) {
    List<Gid> addresses = options.bind();
    if (addresses.isEmpty()) {
      boolean fabric = options.transport() == TransportName.FABRIC;
      addresses = isMac() && !fabric ? List.of(FIRST) : List.of(FIRST, SECOND);
    }
    return open(options, addresses);
  }

  /** One device; the address is not needed with {@code --device}. */
  static OpenDevices forOneSide(PingPongOptions options, Gid address) {
    return open(options, address == null ? List.of() : List.of(address));
  }

  private static OpenDevices open(PingPongOptions options, List<Gid> addresses) {
    OpenDevices devices = new OpenDevices(options.localAddress());
    boolean complete = false;
    try {
      if (options.device() != null) {
        devices.openListed(options);
      } else if (options.transport() == TransportName.FABRIC) {
        devices.openFabric(options, addresses);
      } else {
        devices.openEmulated(options, addresses);
      }
      complete = true;
    } finally {
      if (!complete) {
        devices.close();
      }
    }
    return devices;
  }

  private void openListed(PingPongOptions options) {
    RdmaDevice listed = options.configured().device(options.device());
    contexts.add(keep(options.faults().atVerbs(listed, clock).open()));
    port = new ChosenPort("device " + options.device(), null);
  }

  private void openFabric(PingPongOptions options, List<Gid> addresses) {
    FabricDevices fabric = keep(options.fabric(addresses.getFirst()));
    if (options.capture() != null) {
      try {
        keep(fabric.fabric().capture(options.capture(), options.snaplen()));
      } catch (IOException e) {
        throw OutputFile.failure(options.capture(), e);
      }
    }
    clock = fabric.fabric()::nowNs;
    for (int i = 0; i < addresses.size(); i++) {
      RdmaDevice device = fabric.device("fabric" + i, addresses.get(i));
      contexts.add(keep((i == 0 ? options.faults().atVerbs(device, clock) : device).open()));
    }
    virtualTime = true;
    port = new ChosenPort("fabric", "a virtual network in virtual time, no socket");
  }

  private void openEmulated(PingPongOptions options, List<Gid> addresses) {
    for (int i = 0; i < addresses.size(); i++) {
      DeviceOptions device =
          options
              .configured()
              .made("roce" + i, addresses.get(i), options.gidIndex(), options.transport());
      port = ChosenPort.of(device.transport());
      // One device sees both directions; a second capture would hold every packet twice.
      if (options.capture() != null && i == 0) {
        device = device.withCapture(options.capture(), options.snaplen());
      }
      RdmaDevice emulated = Emulator.device(options.faults().atPort(device, i));
      contexts.add(keep((i == 0 ? options.faults().atVerbs(emulated, clock) : emulated).open()));
    }
  }

  /** The device of the client. */
  Context client() {
    return contexts.getFirst();
  }

  /** The device of the server; the client's if there is but one. */
  Context server() {
    return contexts.getLast();
  }

  List<Context> contexts() {
    return contexts;
  }

  /** The port and address of each end. */
  LocalAddress local() {
    return local;
  }

  /** Nanoseconds of the network. */
  LongSupplier clock() {
    return clock;
  }

  boolean virtualTime() {
    return virtualTime;
  }

  /** The port in use. */
  String transport() {
    return port.name();
  }

  /** Why this port was chosen, or null. */
  String transportReason() {
    return port.reason();
  }

  private <T extends AutoCloseable> T keep(T object) {
    opened.add(object);
    return object;
  }

  private static boolean isMac() {
    return System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac");
  }

  @Override
  public void close() {
    for (AutoCloseable object : opened.reversed()) {
      try {
        object.close();
      } catch (IOException e) {
        throw ToolFailure.atRunTime("the capture is incomplete: " + e.getMessage(), e);
      } catch (Exception e) {
        throw ToolFailure.atRunTime("cannot close a device: " + e.getMessage(), e);
      }
    }
    opened.clear();
  }
}
