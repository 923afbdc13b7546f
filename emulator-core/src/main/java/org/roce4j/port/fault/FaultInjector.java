package org.roce4j.port.fault;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.roce4j.port.fault.FaultAction.Kind;

/**
 * Carries out rules on a sequence of datagrams: counts what each rule means, draws its chances, and
 * says what becomes of each datagram. All rules that choose it apply to it, in their order, until
 * one loses it; all count it, whatever becomes of it. Allocates nothing per datagram. Not
 * thread-safe.
 */
public final class FaultInjector {
  /** Bytes of the ICRC. */
  static final int ICRC = 4;

  private static final long STREAM = 0x9E37_79B9_7F4A_7C15L;

  /** Of rules whose reason is told. */
  private final boolean planned;

  /** How the state of a rule that is new is made. */
  private final Function<FaultRule, RuleState> states;

  private final List<RuleState> known = new ArrayList<>();
  private RuleState[] rules = {};

  /** Null: no rule asks for the state of a datagram. */
  private SeenPsns seen;

  private final long beganNs;

  /** Null: nobody asks what was met. */
  private final FaultLog log;

  /**
   * The rules of a plan, each with random numbers of its own.
   *
   * @param beganNs what {@link FaultChoice#afterNs} counts from, on the caller's clock
   */
  public FaultInjector(FaultPlan plan, long beganNs) {
    this(plan, beganNs, null);
  }

  /**
   * The same.
   *
   * @param log is told what is met; null: none
   */
  public FaultInjector(FaultPlan plan, long beganNs, FaultLog log) {
    this.log = log;
    planned = true;
    this.beganNs = beganNs;
    states =
        rule ->
            new RuleState(rule, new SplittableRandom(plan.seed() + (known.size() + 1) * STREAM));
    for (FaultRule rule : plan.rules()) {
      known.add(states.apply(rule));
    }
    rules = known.toArray(RuleState[]::new);
    watch();
  }

  private void watch() {
    for (RuleState state : rules) {
      if (seen == null && state.rule.matcher().state() != null) {
        seen = new SeenPsns();
      }
    }
  }

  /**
   * An injector without rules; rules can be set and changed, one of each kind.
   *
   * @param draws random numbers of a kind, which its rules share
   */
  public FaultInjector(Function<Kind, SplittableRandom> draws) {
    planned = false;
    log = null;
    beganNs = 0;
    states = rule -> new RuleState(rule, draws.apply(rule.action().kind()));
  }

  /** Behaves like that from now on; a kind goes on with its random numbers and what lasts. */
  public void rules(List<FaultRule> changed) {
    rules = changed.stream().map(this::continued).toArray(RuleState[]::new);
    watch();
  }

  private RuleState continued(FaultRule rule) {
    RuleState state = ofKind(rule);
    state.rule = rule;
    return state;
  }

  private RuleState ofKind(FaultRule rule) {
    for (RuleState state : known) {
      if (state.rule.action().kind() == rule.action().kind()) {
        return state;
      }
    }
    known.add(states.apply(rule));
    return known.getLast();
  }

  /** Ends what lasts, such as a burst. */
  public void heal() {
    known.forEach(RuleState::heal);
  }

  /**
   * Decides about the next datagram.
   *
   * @param packetBytes of the IP packet that carries it
   * @param nowNs on the caller's clock
   * @param fate is added to
   */
  public void decide(
      FaultDirection direction,
      ByteBuffer buffer,
      int at,
      int length,
      int packetBytes,
      long nowNs,
      Fate fate) {
    if (log != null) {
      log.met(direction, buffer, at, length);
    }
    PacketState newOrNot = seen == null ? null : seen.see(direction, buffer, at, length);
    for (int i = 0; i < rules.length; i++) {
      RuleState state = rules[i];
      FaultRule rule = state.rule;
      if (state.cableIsOut(nowNs)) {
        lose(state, i, fate);
        continue;
      }
      if (!rule.choice().isOpen(nowNs - beganNs)
          || !rule.matcher().means(direction, newOrNot, buffer, at, length)) {
        continue;
      }
      boolean chosen = rule.choice().chooses(++state.meant) || state.lasts(nowNs);
      boolean damages = rule.action().kind().damages();
      if (chosen && fate.lostBy() == null && (damages || state.lasts(nowNs) || state.happens())) {
        applied(state, i);
        state.apply(rule.action(), fate, packetBytes, nowNs);
        if (planned) {
          fate.because(rule, i + 1);
        }
      }
    }
  }

  private void applied(RuleState state, int index) {
    state.applied++;
    if (log != null) {
      log.applied(index, state.meant);
    }
  }

  private void lose(RuleState state, int index, Fate fate) {
    if (fate.lostBy() == null) {
      applied(state, index);
      fate.lost(state.rule.action().kind());
      fate.because(state.rule, index + 1);
    }
  }

  /** Applies one action to a datagram, with the random numbers of its kind. */
  public void apply(FaultAction action, int packetBytes, long nowNs, Fate fate) {
    FaultRule rule = new FaultRule(FaultMatcher.ALL, FaultChoice.ALL, action);
    if (action.kind().damages()) {
      fate.damagedBy(states.apply(rule));
    } else {
      ofKind(rule).apply(action, fate, packetBytes, nowNs);
    }
  }

  /**
   * Damages one of the copies, or the datagram itself, as its fate says; each may be spared.
   *
   * @return the bits that were changed
   */
  public static int damage(Fate fate, ByteBuffer buffer, int at, int length) {
    int bits = 0;
    for (int i = 0; i < fate.damageCount(); i++) {
      RuleState state = fate.damage(i);
      bits += state.damage(state.rule.action(), buffer, at, length);
    }
    return bits;
  }

  /** How many datagrams a rule was applied to. */
  public long applied(int rule) {
    return rules[rule].applied;
  }
}
