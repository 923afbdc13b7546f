package org.roce4j.fabric;

import org.roce4j.port.fault.FaultAction;
import org.roce4j.verbs.Gid;

/** The way that a datagram takes from one address to another, as the datagram knows it. */
interface Carrier {
  Gid to();

  /** A number drawn once, which chooses among several ports where the source does. */
  int spread();

  FabricCounts counts();

  /** It is at the end of the way now: delivered or dropped. */
  void arrive(FabricDatagram datagram);

  /** It meets a fault on its way, which has taken it out of the timeline. */
  void strike(FabricDatagram datagram, FaultAction action);
}
