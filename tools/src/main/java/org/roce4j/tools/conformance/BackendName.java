package org.roce4j.tools.conformance;

import java.io.UncheckedIOException;
import java.util.Locale;
import org.roce4j.backend.Backend;
import org.roce4j.backend.FabricBackend;
import org.roce4j.backend.UdpBackend;
import org.roce4j.tools.console.ToolFailure;

/** The backends that the suite knows. */
enum BackendName {
  /** Virtual network, virtual time. */
  FABRIC,
  /** UDP sockets of the loopback interface. */
  UDP;

  Backend open(long seed, String transport) {
    try {
      return this == FABRIC ? new FabricBackend(seed) : new UdpBackend(transport);
    } catch (UncheckedIOException e) {
      throw ToolFailure.atRunTime(e.getMessage(), e);
    }
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
