package org.roce4j.junit;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FailedRequests;
import org.roce4j.faulty.VerbsLog;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;

/** The devices of a network of either kind, which are open until the test is over. */
abstract class OpenedNetwork implements EmulatedNetwork, AutoCloseable {
  private final RequestedNetwork request;
  private final FailedRequests failedRequests = new FailedRequests();
  private final VerbsLog verbsFaults = new VerbsLog(failedRequests::add);
  private final List<EmulatedDevice> devices = new ArrayList<>();

  /**
   * One context for each device, so that counters can be read after the test has closed its
   * contexts.
   */
  private final List<Context> observers = new ArrayList<>();

  /** Contexts and connected pairs, in the order in which they were opened. */
  private final List<AutoCloseable> opened = new CopyOnWriteArrayList<>();

  OpenedNetwork(RequestedNetwork request) {
    this.request = request;
  }

  final RequestedNetwork request() {
    return request;
  }

  final void add(EmulatedDevice device) {
    observers.add(device.open());
    devices.add(device);
    if (request.leaks() != EmulatedRdma.Leaks.IGNORE) {
      device.rememberOrigins();
    }
  }

  /** The reasons why requests failed on the devices. */
  final FailedRequests failedRequests() {
    return failedRequests;
  }

  /**
   * Closes the connected pairs that the extension has created, and describes the objects that are
   * still open, which the test has left.
   */
  final List<String> leftOpen() {
    List<AutoCloseable> pairs =
        opened.stream().filter(object -> !(object instanceof Context)).toList();
    pairs.reversed().forEach(OpenedNetwork::close);
    opened.removeAll(pairs);
    return LeftOpen.sentences(devices, opened);
  }

  /** The clock of the network, in nanoseconds. */
  LongSupplier clock() {
    return System::nanoTime;
  }

  /** Lines to print beside the devices' counters. */
  abstract List<String> summary();

  @Override
  public final long seed() {
    return request.seed();
  }

  @Override
  public final List<RdmaDevice> devices() {
    return List.copyOf(devices);
  }

  final List<EmulatedDevice> emulatedDevices() {
    return List.copyOf(devices);
  }

  final EmulatedDevice device(int number) {
    return devices.get(number);
  }

  /** What the plan's rules at the verbs have chosen. */
  final VerbsLog verbsFaults() {
    return verbsFaults;
  }

  @Override
  public final Context open(int device) {
    RdmaDevice chosen = devices.get(device);
    if (device == 0) {
      chosen = request.faults().atVerbs(chosen, clock(), verbsFaults);
    }
    return closedAfterTheTest(chosen.open());
  }

  @Override
  public final InetSocketAddress address(String device, int port) {
    for (Context each : observers) {
      if (each.device().name().equals(device)) {
        GidEntry first = each.queryGidTable().getFirst();
        return new InetSocketAddress(first.gid().toInetAddress(), port);
      }
    }
    throw Errno.ENODEV.refusal("no device is called '%s'; there are %s", device, devices);
  }

  final <T extends AutoCloseable> T closedAfterTheTest(T object) {
    opened.add(object);
    return object;
  }

  @Override
  public final Map<String, Long> counters(int device) {
    return observers.get(device).counters();
  }

  @Override
  public final Path directory() {
    return request.directory();
  }

  /** What a test left in an object that refuses goes with the object's context. */
  @Override
  public void close() {
    for (AutoCloseable each : opened.reversed()) {
      try {
        close(each);
      } catch (VerbsException e) {
        if (e.errno() != Errno.EBUSY) {
          throw e;
        }
        // What uses it was told as left open, unless the test failed for another reason.
      }
    }
    opened.clear();
    observers.reversed().forEach(Context::close);
    observers.clear();
  }

  private static void close(AutoCloseable object) {
    try {
      object.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
