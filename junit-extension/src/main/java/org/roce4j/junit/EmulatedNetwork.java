package org.roce4j.junit;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;

/** The devices of one test and the network between them. */
public interface EmulatedNetwork {
  /** The seed of all random numbers. */
  long seed();

  /** {@code fabric}, or the name of the port. */
  String transport();

  /** The devices, in order of their numbers. */
  List<RdmaDevice> devices();

  /** Opens a device. The context is closed after the test if the test has not closed it. */
  Context open(int device);

  /**
   * The address at which {@code rdma_cm} reaches a device: its first one.
   *
   * @param device name of one of {@link #devices}
   * @throws VerbsException ENODEV if no device has this name
   */
  InetSocketAddress address(String device, int port);

  /** The counters of a device, by name. */
  Map<String, Long> counters(int device);

  /** The directory for packets and counters; it may not exist yet. */
  Path directory();
}
