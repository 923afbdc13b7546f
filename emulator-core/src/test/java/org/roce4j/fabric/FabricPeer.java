package org.roce4j.fabric;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.verbs.Gid;

/** A port with a node that records the arrival of numbered datagrams. */
final class FabricPeer implements Node, AutoCloseable {
  static final int LEAST = 24;

  /** UD SEND Only. */
  private static final int UD = 0x64;

  record Arrival(
      long atNs,
      int number,
      int length,
      Gid source,
      Gid local,
      IcrcVerdict icrc,
      int trafficClass) {}

  final Fabric fabric;
  final FabricPort port;
  final List<Arrival> arrivals = new ArrayList<>();
  int hopLimit;
  int trafficClass;
  int sourcePort;
  int turns;

  /** Destination queue pair of the datagrams to send. */
  int destQp = 17;

  long deadlineNs = Long.MAX_VALUE;

  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), Transmit.MAX_SEGMENTS);

  FabricPeer(Fabric fabric, String... addresses) {
    this(fabric, fabric.attach(List.of(addresses).stream().map(Gid::parse).toList()));
  }

  FabricPeer(Fabric fabric, FabricPort port) {
    this.fabric = fabric;
    this.port = port;
    fabric.register(this, port);
  }

  Gid gid() {
    return port.addresses().getFirst();
  }

  void join(Gid group) {
    port.join(group, member(group));
  }

  void leave(Gid group) {
    port.leave(group, member(group));
  }

  /** Its address of the group's IP version, otherwise its first one. */
  private Gid member(Gid group) {
    return port.addresses().stream()
        .filter(own -> own.isIpv4Mapped() == group.isIpv4Mapped())
        .findFirst()
        .orElse(gid());
  }

  @Override
  public void run(long nowNs) {
    turns++;
    if (deadlineNs <= nowNs) {
      deadlineNs = Long.MAX_VALUE;
    }
    port.receive(this::note, Integer.MAX_VALUE);
  }

  @Override
  public long nextDeadlineNs() {
    return deadlineNs;
  }

  /** Sends datagrams of {@code length} bytes with consecutive numbers, in trains. */
  void send(Gid to, int firstNumber, int count, int length) {
    send(to, firstNumber, count, length, Transmit.MAX_SEGMENTS);
  }

  void send(Gid to, int firstNumber, int count, int length, int trainLength) {
    Path path = path(to);
    train.clear();
    for (int i = 0; i < count; i++) {
      boolean full = train.segments() == trainLength;
      if (full || !NumberedDatagrams.addPacket(train, path, length, UD, destQp, firstNumber + i)) {
        port.send(train);
        train.clear();
        NumberedDatagrams.addPacket(train, path, length, UD, destQp, firstNumber + i);
      }
    }
    port.send(train);
  }

  /** Sends a datagram that requests this source port, 0 for none. */
  void sendFrom(int sourcePort, Gid to, int number, int length) {
    train.clear();
    int at = train.claim(path(to), sourcePort, length);
    train.buffer().putInt(at, UD << 24 | 0xFFFF).putInt(at + 4, destQp).putInt(at + 8, number);
    train.commit(length);
    port.send(train);
  }

  Path path(Gid to) {
    Gid from =
        port.addresses().stream()
            .filter(gid -> gid.isIpv4Mapped() == to.isIpv4Mapped())
            .findFirst()
            .orElse(gid());
    return new Path(0, from.high(), from.low(), to.high(), to.low(), 0x62, 64);
  }

  List<Integer> numbers() {
    return arrivals.stream().map(Arrival::number).toList();
  }

  List<Long> times() {
    return arrivals.stream().map(Arrival::atNs).toList();
  }

  @Override
  public void close() {
    port.close();
  }

  private void note(Inbound in) {
    hopLimit = in.hopLimit();
    trafficClass = in.trafficClass();
    sourcePort = in.sourcePort();
    arrivals.add(
        new Arrival(
            fabric.nowNs(),
            in.buffer().getInt(in.at() + 8),
            in.length(),
            new Gid(in.sourceHigh(), in.sourceLow()),
            new Gid(in.localHigh(), in.localLow()),
            in.icrc(),
            in.trafficClass()));
  }
}
