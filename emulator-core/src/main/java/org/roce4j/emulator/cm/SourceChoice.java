package org.roce4j.emulator.cm;

import java.util.List;
import org.roce4j.device.CmDevice;
import org.roce4j.device.Routes;
import org.roce4j.verbs.Gid;

/** The address of a device from which a destination can be reached. */
record SourceChoice(CmDevice device, Gid address) {

  /**
   * Chooses among the addresses of devices; null if the destination cannot be reached from any.
   *
   * @param destination the wildcard address means this host, and is reached from the first address
   *     of its IP version
   */
  static SourceChoice of(Gid destination, List<CmDevice> devices) {
    boolean self = destination.toInetAddress().isAnyLocalAddress();
    for (Routes.Choice choice : Routes.Choice.values()) {
      for (CmDevice each : devices) {
        Gid address =
            self
                ? each.ownAddress(destination, choice)
                : each.routes().sourceFor(destination, choice);
        if (address != null) {
          return new SourceChoice(each, address);
        }
      }
    }
    return null;
  }
}
