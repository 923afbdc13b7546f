package org.roce4j.fabric;

/** The holder of an address of the fabric. */
interface AddressHolder {
  /** Whether the holder still receives datagrams to the address. */
  boolean takes(FabricDatagram datagram);

  /** Queues a datagram for receiving; false if the buffer is full. */
  boolean deliver(FabricDatagram datagram);
}
