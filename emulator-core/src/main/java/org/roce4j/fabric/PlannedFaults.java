package org.roce4j.fabric;

import java.util.Collection;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultInjector;
import org.roce4j.port.fault.FaultLog;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Gid;

/**
 * The plans of a network: the program's own, and one that is imposed from outside, which is first.
 */
final class PlannedFaults {
  private View imposed;
  private View planned;

  /**
   * A plan of faults as the addresses of a device see it.
   *
   * @param ends of the device; null: everything goes out
   */
  private record View(FaultInjector injector, Collection<Gid> ends) {
    void decide(Gid source, Gid destination, FabricDatagram datagram, long nowNs) {
      FaultDirection direction =
          ends == null || ends.contains(source)
              ? FaultDirection.OUT
              : ends.contains(destination) ? FaultDirection.IN : null;
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

  /** The program's plan from now on. */
  FaultInjector plan(FaultPlan plan, Collection<Gid> ends, long nowNs) {
    FaultInjector injector = new FaultInjector(plan, nowNs);
    planned = plan.rules().isEmpty() ? null : new View(injector, ends);
    return injector;
  }

  void impose(FaultPlan plan, Collection<Gid> ends, long nowNs, FaultLog log) {
    imposed = new View(new FaultInjector(plan, nowNs, log), ends);
  }

  /** No plan any more. */
  void heal() {
    imposed = null;
    planned = null;
  }

  void decide(Gid source, Gid destination, FabricDatagram datagram, long nowNs) {
    if (imposed != null) {
      imposed.decide(source, destination, datagram, nowNs);
    }
    if (planned != null) {
      planned.decide(source, destination, datagram, nowNs);
    }
  }
}
