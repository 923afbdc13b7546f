package org.roce4j.fabric;

/** Who has an address of the fabric at present. */
interface AddressHolder {
  /** Whether what is sent to the address reaches anybody. */
  boolean takes(FabricDatagram datagram);

  /** Takes a datagram to be received; false: the buffer is full. */
  boolean deliver(FabricDatagram datagram);
}
