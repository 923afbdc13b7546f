package org.roce4j.wire.view;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Joins the captures of both ends: which packet of one is which of the other, and which never
 * arrived. {@link TwoClocks} tells which end is which, and puts the far clock right.
 */
final class CaptureJoin {
  /** A sender may note the time of a packet so much later than it has left. */
  private static final long LATE_NOTE_NS = 50_000;

  /** The end that {@link #near} was recorded at. */
  private final String nearAddress;

  private final Capture near;
  private final Capture far;
  private final long startNs;
  private final List<ViewedPacket> joined = new ArrayList<>();
  private final List<Frame> missing = new ArrayList<>();
  private long firstDeliveredNs = Long.MAX_VALUE;

  private CaptureJoin(String nearAddress, Capture near, Capture far) {
    this.nearAddress = nearAddress;
    this.near = near;
    this.far = far;
    startNs = Math.min(near.firstNs(), far.firstNs());
  }

  /**
   * What two captures tell together.
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
    Map<Object, List<Frame>> sent = new HashMap<>();
    Map<Object, Deque<Frame>> arrived = new HashMap<>();
    for (Capture here : List.of(near, far)) {
      for (Frame frame : here.frames()) {
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
   * Pairs equal packets from the last backwards: an arrival belongs to the latest packet that was
   * sent before it and has none yet, so that of a lost packet and its retransmission the lost one
   * stays alone.
   */
  private void pair(List<Frame> sent, Deque<Frame> arrived) {
    for (int i = sent.size() - 1; i >= 0; i--) {
      Frame frame = sent.get(i);
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

  /** Whether an arrival is that of a packet, and not of the equal one before it. */
  private static boolean mayBe(Frame sent, Frame arrival, Frame before) {
    long lateNs = arrival.timeNs() - sent.timeNs();
    return before == null
        || lateNs >= 0
        || lateNs > -LATE_NOTE_NS && -lateNs < arrival.timeNs() - before.timeNs();
  }

  private void delivered(Frame frame, Frame arrival) {
    String numbers = frame.number() + " + " + arrival.number();
    add(numbers, frame, since(frame), Math.max(since(frame), since(arrival)), Fate.DELIVERED);
    firstDeliveredNs = Math.min(firstDeliveredNs, frame.timeNs());
  }

  /** Lost, unless the capture at the other end had not begun or was over. */
  private void sentOnly(Frame frame) {
    long heardFromNs = Math.min(receiver(frame).firstNs(), firstDeliveredNs);
    boolean covered = frame.timeNs() >= heardFromNs && frame.timeNs() <= receiver(frame).lastNs();
    Fate fate = covered ? Fate.LOST : Fate.SEEN;
    add(frame.number(), frame, since(frame), ViewedPacket.UNKNOWN, fate);
  }

  private void arrivedOnly(Frame frame) {
    Fate fate = sender(frame).covers(frame.timeNs()) ? Fate.APPEARED : Fate.SEEN;
    add(frame.number(), frame, ViewedPacket.UNKNOWN, since(frame), fate);
  }

  private void add(String numbers, Frame frame, long sentNs, long arrivedNs, Fate fate) {
    joined.add(new ViewedPacket(numbers, frame, sentNs, arrivedNs, fate));
  }

  private long since(Frame frame) {
    return frame.timeNs() - startNs;
  }

  private Capture sender(Frame frame) {
    return frame.source().equals(nearAddress) ? near : far;
  }

  private Capture receiver(Frame frame) {
    return sender(frame) == near ? far : near;
  }
}
