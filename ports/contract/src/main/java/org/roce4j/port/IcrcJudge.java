package org.roce4j.port;

import java.nio.ByteBuffer;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.wire.Bth;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.UdpSourcePort;

/**
 * Decides whether the ICRC of a received datagram is right, and counts {@link Counter#ICRC_ERROR}
 * and {@link Counter#ICRC_SOLVED}.
 *
 * <p>Over IPv6 everything that the ICRC covers is known, so all 32 bits are compared. Over IPv4 the
 * ICRC covers the identification, which a UDP socket does not show. The identification can be
 * computed from the ICRC, but then only 16 bits are left to detect damage: one damaged packet in
 * 65536 would pass. Therefore the computed identification must also be <em>plausible</em>, judged
 * by those of the same peer before it, the peer's habit:
 *
 * <ul>
 *   <li>Emulators send 0 or the index within a train: a value below {@value
 *       IdentificationHabit#TRAIN} is always plausible and does not change the habit.
 *   <li>A connected UDP socket counts its datagrams, from a random number on. So each source port
 *       has a habit of its own, except those from {@link UdpSourcePort#MIN} on, which network cards
 *       and rxe use.
 *   <li>Linux rxe draws from a counter that its kernel keeps per pair of addresses ({@code
 *       ip_idents_reserve}): it runs forward, by one per packet, by more where other traffic hashes
 *       to the same counter or packets were lost, and after a pause by a random number up to the
 *       clock ticks (at most 1000 a second) that the pause lasted. So an identification is
 *       plausible up to {@value IdentificationHabit#FORWARD} beyond the last one, plus one per
 *       millisecond since; and up to {@value IdentificationHabit#BACKWARD} before it, because
 *       networks reorder.
 *   <li>An implausible identification is refused if the habit has held for a second, or if {@value
 *       IdentificationHabit#DAMAGED} damaged packets have arrived since it was last contradicted.
 *       Otherwise it is accepted and starts a new habit. Thus a jump costs one packet, which the
 *       transport repeats, and a peer whose identifications have no order loses none.
 * </ul>
 *
 * <p>On a path in use a damaged packet passes with about ({@value IdentificationHabit#FORWARD} +
 * {@value IdentificationHabit#BACKWARD} + {@value IdentificationHabit#TRAIN}) / 2^32, one in seven
 * million, instead of one in 65536. {@link IcrcVerdict#RIGHT} means that the identification is
 * plausible; {@link IcrcVerdict#SOLVED} that it was accepted without a habit: the path is new, was
 * silent for long, has jumped, or has no order.
 *
 * <p>An attacker can forge a peer's datagrams with a right ICRC and any identification. Forged
 * datagrams cannot lock the peer out: a path refuses at most one right packet a second, and one for
 * each {@value IdentificationHabit#DAMAGED} damaged datagrams. The probability that a damaged
 * packet passes never exceeds the 2^-16 of no habit at all. Habits are kept in a table of fixed
 * size. If it is full, a new habit replaces the one nearby that was silent longest, which costs
 * precision but no packet.
 *
 * <p>Allocates until the table is full, then nothing. Not thread-safe.
 */
public final class IcrcJudge {
  private static final int SLOTS = 512;
  private static final int PROBES = 8;

  private final Icrc icrc = new Icrc();
  private final Counters counters;
  private final int destinationPort;
  private final boolean check;

  private final IdentificationHabit[] habits = new IdentificationHabit[SLOTS];

  /**
   * @param destinationPort UDP port at which datagrams arrive
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
   * @param nowNs approximate time of arrival; one reading of the clock serves a batch
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
    long pair = (long) source << 32 | Integer.toUnsignedLong(local);
    int port = inbound.sourcePort() < UdpSourcePort.MIN ? inbound.sourcePort() : 0;
    int slot = slot(pair, port);
    IdentificationHabit habit = habits[slot];
    boolean known = habit != null && habit.of(pair, port);
    int identification =
        identification(inbound, source, local, known ? habit.guess(trainIndex) : trainIndex);
    if (identification < 0) {
      if (known) {
        habit.damaged();
      }
      return IcrcVerdict.WRONG;
    }
    if (known) {
      return habit.judge(identification, nowNs);
    }
    if (habit == null) {
      habits[slot] = habit = new IdentificationHabit();
    }
    habit.begin(pair, port, identification, nowNs);
    return identification < IdentificationHabit.TRAIN ? IcrcVerdict.RIGHT : IcrcVerdict.SOLVED;
  }

  /** The identification for which the ICRC is right, or -1 if there is none. */
  private int identification(Inbound inbound, int source, int local, int guess) {
    int port = inbound.sourcePort();
    ByteBuffer buffer = inbound.buffer();
    int at = inbound.at();
    int length = inbound.length();
    int computed = icrc.ofIpv4(source, local, port, destinationPort, guess, buffer, at, length);
    return computed == carried(inbound)
        ? guess
        : icrc.solveIdentification(source, local, port, destinationPort, buffer, at, length);
  }

  /**
   * The place of a counter's habit in the table, or the place that a new one takes: an empty one,
   * or that of the habit silent longest.
   */
  private int slot(long pair, int port) {
    int home = (int) ((pair + port) * 0x9E3779B97F4A7C15L >>> 55);
    int oldest = home;
    for (int i = 0; i < PROBES; i++) {
      int slot = home + i & SLOTS - 1;
      if (habits[slot] == null || habits[slot].of(pair, port)) {
        return slot;
      }
      if (habits[slot].silentLongerThan(habits[oldest])) {
        oldest = slot;
      }
    }
    return oldest;
  }
}
