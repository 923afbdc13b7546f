package org.roce4j.port.fault;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.roce4j.port.fault.FaultAction.Kind;

/**
 * Applies rules to a sequence of datagrams: counts the datagrams that each rule matches, draws its
 * random numbers, and decides the {@link Fate} of each datagram. All rules that choose a datagram
 * apply to it, in their order, until one drops it; every rule that matches it counts it, even then.
 * Allocates nothing per datagram. Not thread-safe.
 */
public final class FaultInjector {
  /** Size of the ICRC in bytes. */
  static final int ICRC = 4;

  private static final long STREAM = 0x9E37_79B9_7F4A_7C15L;

  /** Whether the rules are those of a plan, which a fate names as its reason. */
  private final boolean planned;

  /** Makes the state of a new rule. */
  private final Function<FaultRule, RuleState> states;

  private final List<RuleState> known = new ArrayList<>();
  private RuleState[] rules = {};

  /** Null if no rule depends on the state of a PSN. */
  private SeenPsns seen;

  private final long beganNs;

  /** Null if no log was asked for. */
  private final FaultLog log;

  /**
   * An injector of a plan. Each rule draws from its own random numbers.
   *
   * @param beganNs beginning of the plan on the caller's clock, from which {@link
   *     FaultChoice#afterNs} counts
   */
  public FaultInjector(FaultPlan plan, long beganNs) {
    this(plan, beganNs, null);
  }

  /**
   * An injector of a plan with a log.
   *
   * @param log records datagrams and hits; null: none
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
   * An injector without rules. They can be set and changed later, one of each kind.
   *
   * @param draws gives the random numbers that all rules of a kind share
   */
  public FaultInjector(Function<Kind, SplittableRandom> draws) {
    planned = false;
    log = null;
    beganNs = 0;
    states = rule -> new RuleState(rule, draws.apply(rule.action().kind()));
  }

  /**
   * Replaces the rules. A kind keeps its random numbers and its lasting effects, such as a burst.
   */
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

  /** Ends lasting effects, such as a burst. */
  public void heal() {
    known.forEach(RuleState::heal);
  }

  /**
   * Decides about the next datagram.
   *
   * @param packetBytes size of its IP packet
   * @param nowNs time on the caller's clock
   * @param fate receives the decision
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
      boolean damages = Fate.DAMAGING.contains(rule.action().kind());
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

  /** Applies one action to a datagram, with the random numbers of the action's kind. */
  public void apply(FaultAction action, int packetBytes, long nowNs, Fate fate) {
    FaultRule rule = new FaultRule(FaultMatcher.ALL, FaultChoice.ALL, action);
    if (Fate.DAMAGING.contains(action.kind())) {
      fate.damagedBy(states.apply(rule));
    } else {
      ofKind(rule).apply(action, fate, packetBytes, nowNs);
    }
  }

  /**
   * Damages the datagram, or one copy of it, according to its fate. Chance may spare each.
   *
   * @return the number of bits changed
   */
  public static int damage(Fate fate, ByteBuffer buffer, int at, int length) {
    int bits = 0;
    for (int i = 0; i < fate.damageCount(); i++) {
      RuleState state = fate.damage(i);
      bits += state.damage(state.rule.action(), buffer, at, length);
    }
    return bits;
  }

  /** The number of datagrams to which a rule was applied. */
  public long applied(int rule) {
    return rules[rule].applied;
  }
}
