package org.roce4j.port.fault;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.roce4j.options.Quantity;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

/**
 * Which datagrams a fault befalls. The first four say what kind of datagram is meant; of those, the
 * rest chooses some. {@link #ANY} means that it does not matter.
 *
 * <p>The n-th datagram of one PSN and queue pair is its n-th transmission, so a retransmission can
 * be chosen too.
 *
 * @param direction null: either
 * @param opcode first byte of BTH, 0..255
 * @param destQp 24 bits
 * @param psn 24 bits
 * @param first the first of them that is chosen, from 1
 * @param every of those from the first on, every so many, from 1
 * @param times how many are chosen at most; {@link Long#MAX_VALUE}: no limit
 * @param probability with which a chosen one is really befallen, 0..1
 */
public record FaultMatcher(
    FaultDirection direction,
    int opcode,
    int destQp,
    int psn,
    long first,
    long every,
    long times,
    double probability) {
  public static final int ANY = -1;

  /** Every datagram of both directions. */
  public static final FaultMatcher ALL =
      new FaultMatcher(null, ANY, ANY, ANY, 1, 1, Long.MAX_VALUE, 1);

  private static final int MOST_24 = 0xFF_FFFF;

  /**
   * @throws org.roce4j.verbs.VerbsException EINVAL for a value out of its range
   */
  public FaultMatcher {
    Quantity.requireRange("opcode", opcode, ANY, 0xFF);
    Quantity.requireRange("qpn", destQp, ANY, MOST_24);
    Quantity.requireRange("psn", psn, ANY, MOST_24);
    Quantity.requireRange("first", first, 1, Long.MAX_VALUE);
    Quantity.requireRange("every", every, 1, Long.MAX_VALUE);
    Quantity.requireRange("times", times, 1, Long.MAX_VALUE);
    Quantity.requireProbability("probability", probability);
  }

  public FaultMatcher withDirection(FaultDirection value) {
    return new FaultMatcher(value, opcode, destQp, psn, first, every, times, probability);
  }

  public FaultMatcher withOpcode(Opcode value) {
    return withOpcode(value.code());
  }

  public FaultMatcher withOpcode(int value) {
    return new FaultMatcher(direction, value, destQp, psn, first, every, times, probability);
  }

  public FaultMatcher withDestQp(int value) {
    return new FaultMatcher(direction, opcode, value, psn, first, every, times, probability);
  }

  public FaultMatcher withPsn(int value) {
    return new FaultMatcher(direction, opcode, destQp, value, first, every, times, probability);
  }

  /** Exactly the n-th, from 1. */
  public FaultMatcher withNth(long value) {
    return new FaultMatcher(direction, opcode, destQp, psn, value, every, 1, probability);
  }

  public FaultMatcher withFirst(long value) {
    return new FaultMatcher(direction, opcode, destQp, psn, value, every, times, probability);
  }

  public FaultMatcher withEvery(long value) {
    return new FaultMatcher(direction, opcode, destQp, psn, first, value, times, probability);
  }

  public FaultMatcher withTimes(long value) {
    return new FaultMatcher(direction, opcode, destQp, psn, first, every, value, probability);
  }

  public FaultMatcher withProbability(double value) {
    return new FaultMatcher(direction, opcode, destQp, psn, first, every, times, value);
  }

  /** Whether a datagram is of the kind that is meant. */
  public boolean means(FaultDirection direction, ByteBuffer buffer, int at, int length) {
    if (this.direction != null && this.direction != direction) {
      return false;
    }
    if (length < Bth.SIZE) {
      return opcode == ANY && destQp == ANY && psn == ANY;
    }
    return (opcode == ANY || opcode == Bth.opcode(buffer, at))
        && (destQp == ANY || destQp == Bth.destQp(buffer, at))
        && (psn == ANY || psn == Bth.psn(buffer, at));
  }

  /** Whether the n-th of its kind, from 1, is chosen. */
  public boolean chooses(long n) {
    long beyond = n - first;
    return beyond >= 0 && beyond % every == 0 && beyond / every < times;
  }

  /** As {@link FaultRule#parse} reads it; empty for {@link #ALL}. */
  @Override
  public String toString() {
    List<String> words = new ArrayList<>();
    if (direction != null) {
      words.add("direction=" + direction.name().toLowerCase(Locale.ROOT));
    }
    if (opcode != ANY) {
      Opcode known = Opcode.of(opcode);
      words.add("opcode=" + (known == null ? "0x%02x".formatted(opcode) : known.name()));
    }
    if (destQp != ANY) {
      words.add("qpn=0x%06x".formatted(destQp));
    }
    if (psn != ANY) {
      words.add("psn=" + psn);
    }
    if (times == 1 && every == 1) {
      words.add("nth=" + first);
    } else {
      if (first != 1) {
        words.add("first=" + first);
      }
      if (every != 1) {
        words.add("every=" + every);
      }
      if (times != Long.MAX_VALUE) {
        words.add("times=" + times);
      }
    }
    if (probability != 1) {
      words.add("probability=" + probability);
    }
    return String.join(" ", words);
  }
}
