package org.roce4j.fabric;

/** The fabric as its links see it. */
interface Network {
  long nowNs();

  Journal journal();

  /** Schedules the arrival of a datagram at its {@link FabricDatagram#arrivalNs}. */
  void schedule(FabricDatagram datagram);

  /** Changes the time of a scheduled arrival. */
  void reschedule(FabricDatagram datagram, long arrivalNs);

  /** A copy of a datagram, on the same link; null if the memory is used up. */
  FabricDatagram copy(FabricDatagram datagram);

  /** Computes the ICRC of a datagram that the link has written or changed. */
  void seal(FabricDatagram datagram);

  void drop(FabricDatagram datagram, DropReason reason);

  /** Whether a datagram was sent to the address, or to a group that it has not left. */
  boolean wants(Address address, FabricDatagram datagram);
}
