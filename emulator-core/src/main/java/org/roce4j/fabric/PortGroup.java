package org.roce4j.fabric;

import java.util.List;
import java.util.stream.Stream;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Bth;
import org.roce4j.wire.GidAddress;

/** Ports that share their addresses. A datagram reaches one of them. */
final class PortGroup implements AddressHolder {
  private List<Address> addresses;
  private final List<FabricPort> ports;
  private final Steering steering;

  /**
   * @param count number of ports, a power of two
   */
  PortGroup(Fabric fabric, List<Address> addresses, int count, Steering steering) {
    if (Integer.bitCount(count) != 1 || count < 0) {
      throw new VerbsException(
          Errno.EINVAL, "ports that share addresses are a power of two, not " + count);
    }
    this.addresses = addresses;
    this.steering = steering;
    ports = Stream.generate(() -> new FabricPort(fabric, this)).limit(count).toList();
  }

  /** The shared addresses, in the order in which they were attached. */
  List<Address> addresses() {
    return addresses;
  }

  void addresses(List<Address> now) {
    addresses = now;
  }

  boolean has(Gid gid) {
    return addresses.stream().anyMatch(address -> address.gid.equals(gid));
  }

  List<FabricPort> ports() {
    return ports;
  }

  @Override
  public boolean takes(FabricDatagram datagram) {
    return !receiver(datagram).closed();
  }

  @Override
  public boolean deliver(FabricDatagram datagram) {
    return receiver(datagram).deliver(datagram);
  }

  /** The port that a datagram reaches; for a datagram to a multicast group the first. */
  private FabricPort receiver(FabricDatagram datagram) {
    boolean multicast = GidAddress.isMulticast(datagram.destinationHigh, datagram.destinationLow);
    return ports.get(multicast ? 0 : steered(datagram) & ports.size() - 1);
  }

  private int steered(FabricDatagram datagram) {
    return switch (steering) {
      case DEST_QP ->
          datagram.length < Bth.SIZE ? 0 : Bth.destQp(datagram.buffer, FabricDatagram.AT);
      case SOURCE -> datagram.link.spread();
    };
  }

  /** Whether all ports are closed. */
  boolean closed() {
    return ports.stream().allMatch(FabricPort::closed);
  }
}
