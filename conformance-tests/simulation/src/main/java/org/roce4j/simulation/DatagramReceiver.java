package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Deth;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.ImmDt;

/**
 * Receives each datagram that reaches its port whole, if a receive request is posted: in the order
 * of arrival, with the network header of the packet.
 */
final class DatagramReceiver extends Receiver {
  private static final int UDP_HEADER = 8;
  private static final int HOP_LIMIT = 64;

  private final World world;
  private final Gid gid;
  private final int qpNum;
  private final Arrivals arrivals;
  private final MemorySegment scratch;

  DatagramReceiver(
      String name, BooleanSupplier inError, ReceivePool receives, World world, Gid gid, int qpNum) {
    super(name, inError, receives);
    this.world = world;
    this.gid = gid;
    this.qpNum = qpNum;
    arrivals = new Arrivals(world.agenda, world.options.severalEngines(), receives);
    scratch = world.arena.allocate(world.options.longestDatagram(), 8);
  }

  Arrivals arrivals() {
    return arrivals;
  }

  @Override
  PostedSend identify(PostedReceive receive, WorkCompletions wcs, int index) {
    int bytes = wcs.byteLength(index);
    require(
        bytes >= GlobalRouteHeader.SIZE && bytes <= receive.capacity,
        OracleRule.RIGHT_COMPLETION,
        "%s: %s completed with %d bytes",
        name,
        receive,
        bytes);
    Pieces.gather(receive.pieces, scratch, bytes);
    PostedSend message =
        arrivals.received(
            name, wcs.toString(index), candidate -> isReceived(candidate, wcs, index));
    Datagram datagram = message.datagram;
    boolean own = datagram.from().equals(gid) && datagram.fromQp() == qpNum;
    world.counts.met(
        !datagram.to().isMulticast()
            ? Phenomenon.DATAGRAM
            : own ? Phenomenon.SELF_DELIVERED : Phenomenon.MULTICAST);
    return message;
  }

  @Override
  MemorySegment content(PostedSend message) {
    return scratch.asSlice(0, GlobalRouteHeader.SIZE + message.length());
  }

  /** Whether the completion, the header and the bytes are those of a datagram. */
  private boolean isReceived(PostedSend message, WorkCompletions wcs, int index) {
    int bytes = GlobalRouteHeader.SIZE + message.length();
    return looksLike(message, wcs, index)
        && (wcs.flags(index) & WcFlags.GRH) != 0
        && wcs.byteLength(index) == bytes
        && wcs.sourceQp(index) == message.datagram.fromQp()
        && headerIsThatOf(message)
        && scratch.asSlice(GlobalRouteHeader.SIZE, message.length()).mismatch(message.payload) < 0;
  }

  private boolean headerIsThatOf(PostedSend message) {
    Datagram datagram = message.datagram;
    int headers =
        UDP_HEADER
            + Bth.SIZE
            + Deth.SIZE
            + (message.opcode == WrOpcode.SEND_WITH_IMM ? ImmDt.SIZE : 0);
    int padded = (message.length() + 3) & -4;
    return GlobalRouteHeader.version(scratch, 0) == (datagram.to().isIpv4Mapped() ? 4 : 6)
        && GlobalRouteHeader.sgid(scratch, 0).equals(datagram.from())
        && GlobalRouteHeader.dgid(scratch, 0).equals(datagram.to())
        && GlobalRouteHeader.hopLimit(scratch, 0) == HOP_LIMIT
        && GlobalRouteHeader.trafficClass(scratch, 0) == datagram.trafficClass()
        && GlobalRouteHeader.payloadLength(scratch, 0) == headers + padded + Icrc.SIZE;
  }

  /** A receive request that does not complete is never written to. */
  @Override
  void firstFlushed(PostedReceive receive, String why) {
    neverTaken(receive, why);
  }

  @Override
  void checkAtEnd() {
    arrivals.checkAtEnd(name);
  }
}
