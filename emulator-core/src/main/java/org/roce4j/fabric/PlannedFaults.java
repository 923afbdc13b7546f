package org.roce4j.fabric;

import java.util.Collection;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultInjector;
import org.roce4j.port.fault.FaultLog;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Gid;

/**
 * The plans of a network: a plan imposed from outside, which applies first, and the program's own.
 */
final class PlannedFaults {
  private DirectedPlan imposed;
  private DirectedPlan planned;

  /**
   * A plan whose directions are meant for the addresses of a device.
   *
   * @param ends addresses of the device; null: every datagram goes {@code out}
   */
  private record DirectedPlan(FaultInjector injector, Collection<Gid> ends) {
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

  /** Sets the program's plan. */
  FaultInjector plan(FaultPlan plan, Collection<Gid> ends, long nowNs) {
    FaultInjector injector = new FaultInjector(plan, nowNs);
    planned = plan.rules().isEmpty() ? null : new DirectedPlan(injector, ends);
    return injector;
  }

  void impose(FaultPlan plan, Collection<Gid> ends, long nowNs, FaultLog log) {
    imposed = new DirectedPlan(new FaultInjector(plan, nowNs, log), ends);
  }

  /** Removes the plans. */
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
