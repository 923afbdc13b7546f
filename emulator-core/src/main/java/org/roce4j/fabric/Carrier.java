package org.roce4j.fabric;

import org.roce4j.port.fault.FaultAction;
import org.roce4j.verbs.Gid;

/** The link that a datagram is travelling on. */
interface Carrier {
  Gid to();

  /** A number drawn once per link. It chooses among several ports that are steered by source. */
  int spread();

  FabricCounts counts();

  /** A datagram has reached the end of the link: it is delivered or dropped. */
  void arrive(FabricDatagram datagram);

  /** Applies a fault to a datagram on the link, which the caller has removed from the timeline. */
  void strike(FabricDatagram datagram, FaultAction action);
}
