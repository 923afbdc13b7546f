package org.roce4j.junit;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;

/** The devices of one test and what is between them. */
public interface EmulatedNetwork {
  /** The source of everything that chance decides. */
  long seed();

  /** {@code fabric}, or the name of the port. */
  String transport();

  /** The devices, in order of their numbers. */
  List<RdmaDevice> devices();

  /** Opens a device; the context is closed after the test at the latest. */
  Context open(int device);

  /**
   * Where a device is reached by {@code rdma_cm}: its first address.
   *
   * @param device the name of one of {@link #devices}
   * @throws VerbsException ENODEV if no device is called so
   */
  InetSocketAddress address(String device, int port);

  /** The counters of a device, by name. */
  Map<String, Long> counters(int device);

  /** Where packets and counters are kept; it need not exist yet. */
  Path directory();
}
