package org.roce4j.conformance.dialogue;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricPort;
import org.roce4j.fabric.Node;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.UdpSourcePort;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.Dissector;
import org.roce4j.wire.capture.IpHeader;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.Ipv6Header;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.capture.UdpHeader;

/** A wire on a fabric, in virtual time: an immediate answer takes no time. */
public final class FabricWire implements Wire, Node {
  private final Fabric fabric;
  private final FabricPort port;
  private final Gid device;
  private final Deque<Heard> heard = new ArrayDeque<>();
  private final Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), 1);

  /**
   * @param device device of the dialogue
   * @param addresses addresses of this end, the default one first
   */
  public FabricWire(Fabric fabric, Gid device, Gid... addresses) {
    this.fabric = fabric;
    this.device = device;
    port = fabric.attach(List.of(addresses));
    fabric.register(this, port);
  }

  @Override
  public Gid address() {
    return port.addresses().getFirst();
  }

  @Override
  public Gid device() {
    return device;
  }

  @Override
  public void send(RocePacket packet) {
    byte[] bytes = packet.emit().toArray();
    int bthAt = packet.ip().size() + UdpHeader.SIZE;
    int length = bytes.length - bthAt;
    train.clear();
    int at = train.claim(path(packet.ip()), UdpSourcePort.MIN, length);
    train.buffer().put(at, bytes, bthAt, length);
    train.commit(length);
    port.send(train);
  }

  private static Path path(IpHeader ip) {
    return switch (ip) {
      case Ipv4Header v4 ->
          path(Gid.ofIpv4(v4.source()), Gid.ofIpv4(v4.destination()), v4.tos(), v4.ttl());
      case Ipv6Header v6 ->
          path(
              new Gid(v6.sourceHigh(), v6.sourceLow()),
              new Gid(v6.destinationHigh(), v6.destinationLow()),
              v6.trafficClass(),
              v6.hopLimit());
    };
  }

  private static Path path(Gid from, Gid to, int trafficClass, int hopLimit) {
    return new Path(0, from.high(), from.low(), to.high(), to.low(), trafficClass, hopLimit);
  }

  @Override
  public Heard next(long untilNs) {
    if (heard.isEmpty()) {
      fabric.runUntil(() -> !heard.isEmpty(), untilNs);
    }
    return heard.poll();
  }

  @Override
  public long nowNs() {
    return fabric.nowNs();
  }

  @Override
  public long patienceNs() {
    return 0;
  }

  /** The packet is damaged on the link, because a fabric seals every packet. */
  @Override
  public void sendDamaged(RocePacket packet) {
    fabric.filter((from, to, buffer, at, length, n) -> List.of(FaultAction.CORRUPT_ICRC));
    send(packet);
    fabric.filter(null);
  }

  @Override
  public boolean everyBit() {
    return true;
  }

  @Override
  public void close() {
    port.close();
  }

  // ---- Node

  @Override
  public void run(long nowNs) {
    port.receive(inbound -> heard.add(new Heard(nowNs, packet(inbound))), Integer.MAX_VALUE);
  }

  @Override
  public long nextDeadlineNs() {
    return Deadlines.NEVER;
  }

  private static RocePacket packet(Inbound in) {
    boolean ipv4 = new Gid(in.localHigh(), in.localLow()).isIpv4Mapped();
    int udpAt = ipv4 ? Ipv4Header.SIZE : Ipv6Header.SIZE;
    int udpLength = UdpHeader.SIZE + in.length();
    ByteBuffer b = ByteBuffer.allocate(udpAt + udpLength);
    IpHeader ip =
        ipv4
            ? Ipv4Header.of((int) in.sourceLow(), (int) in.localLow(), 0)
            : Ipv6Header.of(in.sourceHigh(), in.sourceLow(), in.localHigh(), in.localLow());
    ip.sized(udpLength).emit(b, 0);
    UdpHeader.put(b, udpAt, in.sourcePort(), UdpSourcePort.ROCE_V2, udpLength);
    b.put(udpAt + UdpHeader.SIZE, in.buffer(), in.at(), in.length());
    return switch (Dissector.dissectIp(b).getFirst()) {
      case Dissection.Roce roce -> roce.packet();
      default -> throw new AssertionError("the device sent what is no RoCEv2 packet");
    };
  }
}
