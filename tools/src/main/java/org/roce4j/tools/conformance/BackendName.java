package org.roce4j.tools.conformance;

import java.util.Locale;

/** The backends of the suite. */
enum BackendName {
  /** Virtual network, virtual time. */
  FABRIC,
  /** UDP sockets of the loopback interface. */
  UDP,
  /** A device of the device list, such as soft-RoCE through libibverbs. */
  HARDWARE,
  /** Two devices of the device list, with each other. */
  PAIR;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
