package org.roce4j.wire.view;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Joins the captures of both ends: pairs each packet sent with its arrival and finds the packets
 * that never arrived. {@link TwoClocks} says which end recorded which capture and corrects the far
 * clock.
 */
final class CaptureJoin {
  /**
   * The longest delay, in nanoseconds, between a packet's departure and the time that its sender
   * records.
   */
  private static final long LATE_NOTE_NS = 50_000;

  /** The address of the end that recorded {@link #near}. */
  private final String nearAddress;

  private final Capture near;
  private final Capture far;
  private final long startNs;
  private final List<ViewedPacket> joined = new ArrayList<>();
  private final List<DrawnPacket> missing = new ArrayList<>();
  private long firstDeliveredNs = Long.MAX_VALUE;

  private CaptureJoin(String nearAddress, Capture near, Capture far) {
    this.nearAddress = nearAddress;
    this.near = near;
    this.far = far;
    startNs = Math.min(near.firstNs(), far.firstNs());
  }

  /**
   * Two captures as one.
   *
   * @param clockAheadNs by how much the far clock was ahead
   */
  record Joined(List<ViewedPacket> packets, Capture near, Capture far, long clockAheadNs) {}

  static Joined join(Capture first, Capture second) {
    String address = first.frames().isEmpty() ? "" : first.frames().getFirst().source();
    boolean firstIsNear = new TwoClocks(first, second, address).firstIsNear();
    Capture near = firstIsNear ? first : second;
    Capture far = firstIsNear ? second : first;
    long ahead = new TwoClocks(near, far, address).aheadNs();
    CaptureJoin join = new CaptureJoin(address, near, far.earlier(ahead));
    join.match();
    return new Joined(join.joined, near, far, ahead);
  }

  private void match() {
    Map<Object, List<DrawnPacket>> sent = new HashMap<>();
    Map<Object, Deque<DrawnPacket>> arrived = new HashMap<>();
    for (Capture here : List.of(near, far)) {
      for (DrawnPacket frame : here.frames()) {
        if (sender(frame) == here) {
          sent.computeIfAbsent(frame.identity(), _ -> new ArrayList<>()).add(frame);
        } else {
          arrived.computeIfAbsent(frame.identity(), _ -> new ArrayDeque<>()).add(frame);
        }
      }
    }
    sent.forEach((identity, f) -> pair(f, arrived.getOrDefault(identity, new ArrayDeque<>())));
    arrived.values().forEach(left -> left.forEach(this::arrivedOnly));
    missing.forEach(this::sentOnly);
    joined.sort(
        Comparator.comparingLong(ViewedPacket::timeNs).thenComparing(p -> p.frame().order()));
  }

  /**
   * Pairs identical packets, the last one first. An arrival belongs to the latest packet that was
   * sent before it and has no arrival yet: if a packet was lost and sent again, the arrival belongs
   * to the retransmission.
   */
  private void pair(List<DrawnPacket> sent, Deque<DrawnPacket> arrived) {
    for (int i = sent.size() - 1; i >= 0; i--) {
      DrawnPacket frame = sent.get(i);
      while (arrived.size() > i + 1) {
        arrivedOnly(arrived.pollLast());
      }
      if (!arrived.isEmpty() && mayBe(frame, arrived.peekLast(), i == 0 ? null : sent.get(i - 1))) {
        delivered(frame, arrived.pollLast());
      } else {
        missing.add(frame);
      }
    }
  }

  /**
   * Whether an arrival can belong to {@code sent} and not to {@code before}, the identical packet
   * sent earlier; null: no earlier one.
   */
  private static boolean mayBe(DrawnPacket sent, DrawnPacket arrival, DrawnPacket before) {
    long lateNs = arrival.timeNs() - sent.timeNs();
    return before == null
        || lateNs >= 0
        || lateNs > -LATE_NOTE_NS && -lateNs < arrival.timeNs() - before.timeNs();
  }

  private void delivered(DrawnPacket frame, DrawnPacket arrival) {
    String numbers = frame.number() + " + " + arrival.number();
    add(numbers, frame, since(frame), Math.max(since(frame), since(arrival)), PacketFate.DELIVERED);
    firstDeliveredNs = Math.min(firstDeliveredNs, frame.timeNs());
  }

  /**
   * The packet is lost if the other end's capture was running when it was sent; else its fate is
   * unknown.
   */
  private void sentOnly(DrawnPacket frame) {
    long heardFromNs = Math.min(receiver(frame).firstNs(), firstDeliveredNs);
    boolean covered = frame.timeNs() >= heardFromNs && frame.timeNs() <= receiver(frame).lastNs();
    PacketFate fate = covered ? PacketFate.LOST : PacketFate.SEEN;
    add(frame.number(), frame, since(frame), ViewedPacket.UNKNOWN, fate);
  }

  private void arrivedOnly(DrawnPacket frame) {
    PacketFate fate = sender(frame).covers(frame.timeNs()) ? PacketFate.APPEARED : PacketFate.SEEN;
    add(frame.number(), frame, ViewedPacket.UNKNOWN, since(frame), fate);
  }

  private void add(
      String numbers, DrawnPacket frame, long sentNs, long arrivedNs, PacketFate fate) {
    joined.add(new ViewedPacket(numbers, frame, sentNs, arrivedNs, fate));
  }

  private long since(DrawnPacket frame) {
    return frame.timeNs() - startNs;
  }

  private Capture sender(DrawnPacket frame) {
    return frame.source().equals(nearAddress) ? near : far;
  }

  private Capture receiver(DrawnPacket frame) {
    return sender(frame) == near ? far : near;
  }
}
