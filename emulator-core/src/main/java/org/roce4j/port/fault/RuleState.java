package org.roce4j.port.fault;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.roce4j.port.IcrcSealer;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

/** The state of one rule: its counts, its lasting effects and its random numbers. */
final class RuleState {
  private static final long NS_PER_SECOND = 1_000_000_000L;
  private static final int BITS = 8;

  private final SplittableRandom draw;

  FaultRule rule;
  long meant;
  long applied;

  /** Whether a burst is in progress. */
  private boolean burst;

  /** The end of a black hole, in which every matching datagram is lost. */
  private long blackholeUntilNs = Long.MIN_VALUE;

  private long busyUntilNs;

  /**
   * The fraction of a nanosecond by which serialisation ends after {@link #busyUntilNs}: bits x
   * 10^9 modulo the rate.
   */
  private long serialisationRemainder;

  private long lastArrivalNs;

  RuleState(FaultRule rule, SplittableRandom draw) {
    this.rule = rule;
    this.draw = draw;
  }

  /** Whether a matching datagram meets a lasting effect of an earlier fault. */
  boolean lasts(long nowNs) {
    return burst || nowNs < blackholeUntilNs;
  }

  /** Whether all datagrams are lost because an earlier fault has taken the port down. */
  boolean cableIsOut(long nowNs) {
    return nowNs < blackholeUntilNs && rule.action().kind() == FaultAction.Kind.PORT_DOWN;
  }

  boolean happens() {
    double probability = rule.choice().probability();
    return probability == 1 || draw.nextDouble() < probability;
  }

  void heal() {
    burst = false;
    blackholeUntilNs = Long.MIN_VALUE;
  }

  /** Applies the rule's action to a datagram. */
  void apply(FaultAction action, Fate fate, int packetBytes, long nowNs) {
    switch (action.kind()) {
      case RATE -> limitRate(action, fate, packetBytes, nowNs);
      case BURST -> loseBurst(action, fate);
      case DROP -> fate.lost(action.kind());
      case BLACKHOLE, PORT_DOWN -> swallow(action, fate, nowNs);
      case LATENCY -> {
        long after = action.amount() + upTo(action.detail(0));
        lastArrivalNs = Math.max(lastArrivalNs, fate.arrivalNs + after);
        fate.arrivalNs = lastArrivalNs;
      }
      case DELAY -> fate.laterNs += action.amount() + upTo(action.detail(0));
      case REORDER -> {
        fate.overtakenBy = action.amount();
        fate.laterNs += (long) action.detail(0);
      }
      case DUPLICATE -> {
        for (long i = 0; i < action.amount(); i++) {
          fate.copied(upTo(action.detail(0)));
        }
      }
      case TRUNCATE -> fate.cutBytes += (int) action.amount();
      case MARK_ECN -> fate.congested = true;
      case FORGE_ACK, FORGE_NAK, FORGE_RNR, FORGE_CNP -> fate.forged(action);
      case CORRUPT, CORRUPT_HEADER, CORRUPT_PAYLOAD, CORRUPT_ICRC -> fate.damagedBy(this);
    }
  }

  private void limitRate(FaultAction action, Fate fate, int packetBytes, long nowNs) {
    if (serialise(action, packetBytes, nowNs)) {
      fate.arrivalNs = Math.max(fate.arrivalNs, busyUntilNs);
    } else {
      fate.lost(action.kind());
    }
  }

  private void loseBurst(FaultAction action, Fate fate) {
    burst = !burst || !chance(action.detail(0));
    if (burst && chance(action.detail(1))) {
      fate.lost(action.kind());
    }
  }

  /** Begins a black hole, unless the datagram falls into an earlier one. */
  private void swallow(FaultAction action, Fate fate, long nowNs) {
    if (nowNs >= blackholeUntilNs) {
      long until = nowNs + action.amount();
      blackholeUntilNs = action.amount() == 0 || until < 0 ? Long.MAX_VALUE : until;
    }
    fate.lost(action.kind());
  }

  /** A random number of nanoseconds from 0 to {@code mostNs}. */
  private long upTo(double mostNs) {
    return mostNs > 0 ? draw.nextLong((long) mostNs + 1) : 0;
  }

  private boolean chance(double probability) {
    return probability > 0 && draw.nextDouble() < probability;
  }

  /**
   * Queues a packet, whose last bit leaves at {@link #busyUntilNs}. Returns false if the queue is
   * full.
   */
  private boolean serialise(FaultAction action, int packetBytes, long nowNs) {
    long rate = action.amount();
    long queueBytes = (long) action.detail(0);
    long backlogNs = busyUntilNs - nowNs;
    if (backlogNs <= 0) {
      busyUntilNs = nowNs;
      serialisationRemainder = 0;
    } else if (queueBytes > 0) {
      long room = queueBytes - packetBytes;
      if (room < 0 || backlogNs > room * BITS * NS_PER_SECOND / rate) {
        return false;
      }
    }
    long scaledBits = packetBytes * BITS * NS_PER_SECOND + serialisationRemainder % rate;
    busyUntilNs += scaledBits / rate;
    serialisationRemainder = scaledBits % rate;
    return true;
  }

  /**
   * Damages the datagram or a copy, unless chance spares it; returns the number of bits changed.
   */
  int damage(FaultAction action, ByteBuffer buffer, int at, int length) {
    if (!happens()) {
      return 0;
    }
    int icrcAt = Math.max(0, length - FaultInjector.ICRC);
    int payloadAt = Math.min(headers(buffer, at, length), icrcAt);
    return switch (action.kind()) {
      case CORRUPT -> flip(buffer, at, length, 1 + draw.nextInt((int) action.amount()));
      case CORRUPT_HEADER ->
          change(buffer, at, 0, payloadAt > 0 ? payloadAt : length, Bth.CONGESTION, action);
      case CORRUPT_PAYLOAD ->
          change(buffer, at, payloadAt, payloadAt < icrcAt ? icrcAt : length, length, action);
      default -> {
        if (length < FaultInjector.ICRC) {
          yield 0;
        }
        IcrcSealer.spoil(buffer, at, length);
        yield Integer.SIZE;
      }
    };
  }

  private static int headers(ByteBuffer buffer, int at, int length) {
    Opcode known = length < Bth.SIZE ? null : Opcode.of(Bth.opcode(buffer, at));
    return known == null ? Bth.SIZE : known.headerLength();
  }

  /**
   * Changes distinct bytes of {@code [from, to)}, one of each part of equal size; the action's
   * amount is their number.
   *
   * @param spared a byte from {@code from} on that the ICRC does not cover, which remains
   */
  private int change(ByteBuffer buffer, int at, int from, int to, int spared, FaultAction action) {
    int choice = to - from - (spared < to ? 1 : 0);
    int wanted = (int) Math.min(action.amount(), choice);
    for (int i = 0; i < wanted; i++) {
      int part = choice * i / wanted;
      int victim = from + part + draw.nextInt(choice * (i + 1) / wanted - part);
      int place = at + (victim < spared ? victim : victim + 1);
      buffer.put(place, (byte) (buffer.get(place) ^ 1 + draw.nextInt(255)));
    }
    return wanted * BITS;
  }

  /** Flips {@code wanted} distinct bits, chosen by Floyd's algorithm. */
  private int flip(ByteBuffer buffer, int at, int length, int wanted) {
    int total = length * BITS;
    int bits = Math.min(wanted, total);
    int[] chosen = new int[bits];
    for (int i = 0; i < bits; i++) {
      int last = total - bits + i;
      int bit = draw.nextInt(last + 1);
      for (int j = 0; j < i; j++) {
        if (chosen[j] == bit) {
          bit = last;
          break;
        }
      }
      chosen[i] = bit;
      int victim = at + (bit >>> 3);
      buffer.put(victim, (byte) (buffer.get(victim) ^ 0x80 >>> (bit & 7)));
    }
    return bits;
  }
}
