package org.roce4j.fabric;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.Port;
import org.roce4j.port.PortCapabilities;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.GidAddress;

/**
 * A port on a {@link Fabric}. {@link #await} does not wait, because time passes only in {@link
 * Fabric#step}; {@link #wakeup} requests a turn of the registered {@link Node}.
 */
public final class FabricPort extends Participant implements Port {
  private static final PortCapabilities CAPABILITIES =
      new PortCapabilities(
          "fabric",
          true,
          Transmit.MAX_SEGMENTS,
          IdentificationRule.TRAIN_INDEX,
          true,
          true,
          true,
          true);

  private final Fabric fabric;
  private final PortGroup group;
  private final Counters counters = new Counters();
  private final Inbound inbound = new Inbound();
  private final ArrayDeque<FabricDatagram> arrived = new ArrayDeque<>();
  private long arrivedBytes;
  private boolean closed;

  FabricPort(Fabric fabric, PortGroup group) {
    this.fabric = fabric;
    this.group = group;
  }

  Fabric fabric() {
    return fabric;
  }

  /** Its addresses, in the order in which they were attached. */
  public List<Gid> addresses() {
    List<Gid> gids = new ArrayList<>();
    for (Address address : group.addresses()) {
      gids.add(address.gid);
    }
    return gids;
  }

  /** The number of datagrams waiting to be received. */
  @Override
  public int waiting() {
    return arrived.size();
  }

  @Override
  public PortCapabilities capabilities() {
    return CAPABILITIES;
  }

  @Override
  public int receive(DatagramSink sink, int budget) {
    int count = 0;
    while (count < budget && !arrived.isEmpty()) {
      FabricDatagram datagram = arrived.poll();
      arrivedBytes -= datagram.length;
      inbound
          .payload(datagram.buffer, datagram.memory, FabricDatagram.AT, datagram.length)
          .source(datagram.sourceHigh, datagram.sourceLow, datagram.sourcePort)
          .local(datagram.destinationHigh, datagram.destinationLow)
          .heardBy(datagram.link.to().high(), datagram.link.to().low())
          .network(datagram.trafficClass, datagram.hopLimit)
          .icrc(fabric.judge(datagram));
      if (!inbound.icrc().acceptable()) {
        counters.increment(Counter.ICRC_ERROR);
      }
      try {
        sink.datagram(inbound);
      } finally {
        fabric.release(datagram);
      }
      count++;
    }
    return count;
  }

  @Override
  public void send(Transmit train) {
    Path path = train.path();
    Address source = closed ? null : local(path.localHigh(), path.localLow());
    if (source == null
        || train.segmentSize() > Transmit.MAX_BYTES
        || path.ipv4() != GidAddress.isIpv4Mapped(path.remoteHigh(), path.remoteLow())) {
      counters.add(Counter.SEND_ERROR, train.segments());
      return;
    }
    int at = 0;
    for (int k = 0; k < train.segments(); k++) {
      int length = train.sizeOf(k);
      fabric.send(source, train, at, length, k);
      at += length;
    }
  }

  /** Returns at once, because time passes only in {@link Fabric#step}. */
  @Override
  public void await(long timeoutNs) {}

  /**
   * Gives the registered node a turn in the next step. Any thread may call it, but only the thread
   * that steps is certain to see the request.
   */
  @Override
  public void wakeup() {
    attention = true;
  }

  @Override
  public long nowNs() {
    return fabric.nowNs();
  }

  @Override
  public Counters counters() {
    return counters;
  }

  @Override
  public void join(Gid group, Gid own) {
    fabric.join(local(own.high(), own.low()), group);
  }

  /** Does nothing after {@link #close}, because giving up the addresses leaves all groups. */
  @Override
  public void leave(Gid group, Gid own) {
    if (!closed) {
      fabric.leave(local(own.high(), own.low()), group);
    }
  }

  /** The ports that share the addresses share the new one too. */
  @Override
  public void add(Gid address) {
    fabric.add(group, address);
  }

  @Override
  public void remove(Gid address) {
    fabric.remove(group, address);
  }

  /**
   * Gives up the addresses unless other ports share them. Datagrams in flight to the port become
   * unreachable.
   */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      while (!arrived.isEmpty()) {
        fabric.release(arrived.poll());
      }
      fabric.detach(this);
    }
  }

  @Override
  public String toString() {
    return "fabric port " + addresses() + (closed ? " closed" : "");
  }

  boolean closed() {
    return closed;
  }

  PortGroup group() {
    return group;
  }

  List<Address> attached() {
    return group.addresses();
  }

  /** Queues a datagram for receiving; false if the buffer is full. */
  boolean deliver(FabricDatagram datagram) {
    int bufferBytes = fabric.options().receiveBufferBytes();
    if (bufferBytes > 0 && arrivedBytes + datagram.length > bufferBytes) {
      counters.increment(Counter.SOCKET_RECEIVE_DROPPED);
      return false;
    }
    arrived.add(datagram);
    arrivedBytes += datagram.length;
    attention = true;
    return true;
  }

  private Address local(long high, long low) {
    List<Address> addresses = group.addresses();
    for (int i = 0; i < addresses.size(); i++) {
      if (addresses.get(i).is(high, low)) {
        return addresses.get(i);
      }
    }
    return null;
  }
}
