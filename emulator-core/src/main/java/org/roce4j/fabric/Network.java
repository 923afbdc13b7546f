package org.roce4j.fabric;

/** What a link needs of its fabric. */
interface Network {
  long nowNs();

  Journal journal();

  /** Has the datagram arrive at its {@link FabricDatagram#arrivalNs}. */
  void schedule(FabricDatagram datagram);

  /** Has a datagram that is scheduled arrive at another time. */
  void reschedule(FabricDatagram datagram, long arrivalNs);

  /** A copy with the same way before it; null when the memory is used up. */
  FabricDatagram copy(FabricDatagram datagram);

  /** Computes the ICRC of a datagram that was written here. */
  void seal(FabricDatagram datagram);

  void drop(FabricDatagram datagram, DropReason reason);

  /** Whether it was sent to this address, or to a group that the address is still a member of. */
  boolean wants(Address address, FabricDatagram datagram);
}
