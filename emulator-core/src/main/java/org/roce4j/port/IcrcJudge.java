package org.roce4j.port;

import java.nio.ByteBuffer;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.wire.Bth;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.Icrc;

/**
 * Says whether the ICRC of a received datagram is right, and counts {@link Counter#ICRC_ERROR} and
 * {@link Counter#ICRC_SOLVED}.
 *
 * <p>Over IPv6 everything that the ICRC covers is known: all 32 bits are compared. Over IPv4 it
 * covers the identification, which a UDP socket does not show. Whatever it is, it can be solved
 * for, but then only 16 bits are left to detect damage: one wrong packet in 65536 would pass. Hence
 * what was solved must also be <em>plausible</em>, and a peer's habit makes it so:
 *
 * <ul>
 *   <li>Emulators send 0, or the index within a train. Both are always plausible.
 *   <li>Linux rxe draws from a counter that its kernel keeps per pair of addresses ({@code
 *       ip_idents_reserve}): it runs forward, by one per packet, by more where other traffic hashes
 *       to the same counter or packets were lost, and after a pause by a random number up to the
 *       clock ticks (at most 1000 a second) that the pause lasted. So an identification is
 *       plausible up to {@value #FORWARD} beyond the last one, plus one per millisecond since; and
 *       up to {@value #BACKWARD} before it, because networks reorder.
 *   <li>An implausible one is remembered and the packet refused; if the next packet continues from
 *       there, the peer has moved (it restarted, or many packets were lost) and is followed. A jump
 *       thus costs one packet, which the transport repeats.
 *   <li>A peer whose identifications follow no order at all is believed at the {@value #ERRATIC}th
 *       in a row that is implausible but can be solved: damage alone does that with 2^-64.
 * </ul>
 *
 * On a path in use a damaged packet passes with about ({@value #FORWARD} + {@value #BACKWARD}) /
 * 2^32, one in seven million, instead of one in 65536. {@link IcrcVerdict#RIGHT} means agreement
 * with a plausible identification; {@link IcrcVerdict#SOLVED} that the path was unknown, silent for
 * long, has moved or is erratic.
 *
 * <p>Habits are kept in a table of fixed size; when it is full the longest silent path near by is
 * forgotten, which costs precision and no packet. Allocates nothing per datagram. Not thread-safe.
 */
public final class IcrcJudge {
  static final int FORWARD = 512;
  static final int BACKWARD = 64;
  static final int ERRATIC = 4;

  private static final int SLOTS = 512;
  private static final int PROBES = 8;
  private static final long TICK_NS = 1_000_000;

  /** A pause after which half of all identifications would be plausible: start anew. */
  private static final int FORGOTTEN = 1 << 15;

  private final Icrc icrc = new Icrc();
  private final Counters counters;
  private final int destinationPort;
  private final boolean check;

  private final long[] pair = new long[SLOTS];
  private final boolean[] used = new boolean[SLOTS];
  private final int[] last = new int[SLOTS];
  private final int[] candidate = new int[SLOTS];
  private final byte[] strays = new byte[SLOTS];
  private final long[] seenNs = new long[SLOTS];

  /**
   * @param destinationPort the UDP port that datagrams arrive at
   * @param check false: every verdict is {@link IcrcVerdict#UNCHECKED}
   */
  public IcrcJudge(Counters counters, int destinationPort, boolean check) {
    this.counters = counters;
    this.destinationPort = destinationPort;
    this.check = check;
  }

  /**
   * Judges a datagram, whose addresses and source port are set, and sets its verdict.
   *
   * @param trainIndex its index in the train that receive offload has put together; else 0
   * @param nowNs about when it arrived; one reading serves a whole batch
   */
  public IcrcVerdict judge(Inbound inbound, int trainIndex, long nowNs) {
    IcrcVerdict verdict = check ? verdict(inbound, trainIndex, nowNs) : IcrcVerdict.UNCHECKED;
    if (verdict == IcrcVerdict.WRONG) {
      counters.increment(Counter.ICRC_ERROR);
    } else if (verdict == IcrcVerdict.SOLVED) {
      counters.increment(Counter.ICRC_SOLVED);
    }
    inbound.icrc(verdict);
    return verdict;
  }

  private IcrcVerdict verdict(Inbound inbound, int trainIndex, long nowNs) {
    if (inbound.length() < Bth.SIZE + Icrc.SIZE) {
      return IcrcVerdict.WRONG;
    }
    if (GidAddress.isIpv4Mapped(inbound.localHigh(), inbound.localLow())) {
      return ipv4(inbound, trainIndex, nowNs);
    }
    int computed =
        icrc.ofIpv6(
            inbound.sourceHigh(),
            inbound.sourceLow(),
            inbound.localHigh(),
            inbound.localLow(),
            inbound.sourcePort(),
            destinationPort,
            inbound.buffer(),
            inbound.at(),
            inbound.length());
    return computed == carried(inbound) ? IcrcVerdict.RIGHT : IcrcVerdict.WRONG;
  }

  private static int carried(Inbound inbound) {
    return Icrc.read(inbound.buffer(), inbound.at() + inbound.length() - Icrc.SIZE);
  }

  private IcrcVerdict ipv4(Inbound inbound, int trainIndex, long nowNs) {
    int source = GidAddress.ipv4(inbound.sourceLow());
    int local = GidAddress.ipv4(inbound.localLow());
    long key = (long) source << 32 | Integer.toUnsignedLong(local);
    int slot = find(key);
    int guess = slot < 0 || last[slot] < BACKWARD ? trainIndex : last[slot] + 1 & 0xFFFF;
    ByteBuffer buffer = inbound.buffer();
    int computed =
        icrc.ofIpv4(
            source,
            local,
            inbound.sourcePort(),
            destinationPort,
            guess,
            buffer,
            inbound.at(),
            inbound.length());
    int identification =
        computed == carried(inbound)
            ? guess
            : icrc.solveIdentification(
                source,
                local,
                inbound.sourcePort(),
                destinationPort,
                buffer,
                inbound.at(),
                inbound.length());
    boolean known = slot >= 0;
    if (identification < 0) {
      if (known && strays[slot] < ERRATIC) {
        strays[slot] = 0;
      }
      return IcrcVerdict.WRONG;
    }
    if (!known) {
      slot = claim(key);
    }
    IcrcVerdict verdict =
        identification == trainIndex || identification == 0
            ? IcrcVerdict.RIGHT
            : known ? habit(slot, identification, nowNs) : IcrcVerdict.SOLVED;
    if (verdict == IcrcVerdict.WRONG) {
      return verdict;
    }
    if (verdict == IcrcVerdict.RIGHT && strays[slot] > 0) {
      strays[slot]--;
    }
    boolean late = known && forward(identification, last[slot]) <= BACKWARD;
    if (!late || identification < BACKWARD) {
      last[slot] = identification;
    }
    seenNs[slot] = nowNs;
    return verdict;
  }

  /** Whether the identification continues what this peer did before. */
  private IcrcVerdict habit(int slot, int identification, long nowNs) {
    long ticks = (nowNs - seenNs[slot]) / TICK_NS;
    int ahead = forward(last[slot], identification);
    if (ahead <= FORWARD || forward(identification, last[slot]) <= BACKWARD) {
      return IcrcVerdict.RIGHT;
    }
    if (ticks >= FORGOTTEN || ahead <= FORWARD + ticks) {
      strays[slot] = 0;
      return IcrcVerdict.SOLVED;
    }
    boolean continues = strays[slot] > 0 && forward(candidate[slot], identification) <= FORWARD;
    candidate[slot] = identification;
    if (strays[slot] == ERRATIC) {
      return IcrcVerdict.SOLVED;
    }
    if (continues) {
      strays[slot] = 0;
      return IcrcVerdict.SOLVED;
    }
    strays[slot]++;
    return strays[slot] == ERRATIC ? IcrcVerdict.SOLVED : IcrcVerdict.WRONG;
  }

  private static int forward(int from, int to) {
    return to - from & 0xFFFF;
  }

  private int find(long key) {
    int home = home(key);
    for (int i = 0; i < PROBES; i++) {
      int slot = home + i & SLOTS - 1;
      if (used[slot] && pair[slot] == key) {
        return slot;
      }
    }
    return -1;
  }

  private int claim(long key) {
    int home = home(key);
    int oldest = home;
    for (int i = 0; i < PROBES; i++) {
      int slot = home + i & SLOTS - 1;
      if (!used[slot]) {
        oldest = slot;
        break;
      }
      if (seenNs[slot] - seenNs[oldest] < 0) {
        oldest = slot;
      }
    }
    used[oldest] = true;
    pair[oldest] = key;
    strays[oldest] = 0;
    return oldest;
  }

  private static int home(long key) {
    return (int) (key * 0x9E3779B97F4A7C15L >>> 55);
  }
}
