package org.roce4j.fabric;

import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultInjector;
import org.roce4j.verbs.Gid;

/**
 * A plan of faults as an address sees it.
 *
 * @param end null: everything goes out
 */
record PlannedFaults(FaultInjector injector, Gid end) {
  void decide(Gid source, Gid destination, FabricDatagram datagram, long nowNs) {
    FaultDirection direction =
        end == null || end.equals(source)
            ? FaultDirection.OUT
            : end.equals(destination) ? FaultDirection.IN : null;
    if (direction != null) {
      injector.decide(
          direction,
          datagram.buffer,
          FabricDatagram.AT,
          datagram.length,
          datagram.packetBytes(),
          nowNs,
          datagram.fate);
    }
  }
}
