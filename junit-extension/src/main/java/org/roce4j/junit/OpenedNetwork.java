package org.roce4j.junit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.RdmaDevice;

/** What networks of both kinds have: devices, kept open until the test is over. */
abstract class OpenedNetwork implements EmulatedNetwork, AutoCloseable {
  private final RequestedNetwork request;
  private final List<EmulatedDevice> devices = new ArrayList<>();

  /** One for each device, so that its counters outlive the contexts that the test closes. */
  private final List<Context> observers = new ArrayList<>();

  private final List<Context> contexts = new ArrayList<>();

  OpenedNetwork(RequestedNetwork request) {
    this.request = request;
  }

  final RequestedNetwork request() {
    return request;
  }

  final void add(EmulatedDevice device) {
    observers.add(device.open());
    devices.add(device);
  }

  /** What there is to say beside the devices' counters. */
  abstract List<String> summary();

  @Override
  public final long seed() {
    return request.seed();
  }

  @Override
  public final List<RdmaDevice> devices() {
    return List.copyOf(devices);
  }

  final EmulatedDevice device(int number) {
    return devices.get(number);
  }

  @Override
  public final Context open(int device) {
    Context context = devices.get(device).open();
    contexts.add(context);
    return context;
  }

  @Override
  public final Map<String, Long> counters(int device) {
    return observers.get(device).counters();
  }

  @Override
  public final Path directory() {
    return request.directory();
  }

  @Override
  public void close() {
    contexts.reversed().forEach(Context::close);
    contexts.clear();
    observers.reversed().forEach(Context::close);
    observers.clear();
  }
}
