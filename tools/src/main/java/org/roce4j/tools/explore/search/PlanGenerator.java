package org.roce4j.tools.explore.search;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.port.fault.FaultChoice;
import org.roce4j.port.fault.FaultMatcher;
import org.roce4j.port.fault.FaultReport;
import org.roce4j.port.fault.FaultReport.Traffic;
import org.roce4j.port.fault.FaultRule;
import org.roce4j.port.fault.PacketState;
import org.roce4j.wire.Opcode;

/**
 * Generates trials for a program whose traffic is known. They contain faults that networks may
 * cause and that a reliable connection with libibverbs' usual retries survives. Every second trial
 * is a single fault with the seed of the run without faults, until the first and last datagram of
 * each kind of traffic have been lost, each kind of answer has once been "receiver not ready", and
 * the datagrams between, those up to the {@link #MOST_BETWEEN}th, have been lost one by one. The
 * other trials are drawn at random, each with its own seed; small ones are more frequent. A trial
 * depends only on the traffic, the seed and its number.
 */
public final class PlanGenerator {
  private static final long STREAM = 0x9E37_79B9_7F4A_7C15L;
  private static final long US = 1_000;

  /** The greatest number of datagrams in the middle of the traffic that are tried one by one. */
  private static final int MOST_BETWEEN = 50;

  private static final double[] PROBABILITIES = {0.02, 0.05, 0.1};

  private static final List<Kind> KINDS =
      weighted(
          Map.ofEntries(
              Map.entry(Kind.DROP, 10),
              Map.entry(Kind.DUPLICATE, 4),
              Map.entry(Kind.DELAY, 4),
              Map.entry(Kind.REORDER, 3),
              Map.entry(Kind.FORGE_RNR, 3),
              Map.entry(Kind.MARK_ECN, 1),
              Map.entry(Kind.CORRUPT_ICRC, 1),
              Map.entry(Kind.CORRUPT_PAYLOAD, 1),
              Map.entry(Kind.BURST, 2),
              Map.entry(Kind.BLACKHOLE, 1),
              Map.entry(Kind.PORT_DOWN, 1)));

  private final long seed;
  private final List<Map.Entry<Traffic, Long>> traffic;
  private final List<Map.Entry<Traffic, Long>> answers;
  private final VerbsGenerator verbs;
  private final List<FaultRule> singles = new ArrayList<>();

  /**
   * @param met traffic of a run without faults, which must not be empty. If it has calls, trials
   *     have rules of the verbs.
   */
  public PlanGenerator(FaultReport met, long seed) {
    this.seed = seed;
    verbs = new VerbsGenerator(met);
    traffic = List.copyOf(met.datagrams().entrySet());
    answers = traffic.stream().filter(each -> isAnswer(each.getKey())).toList();
    for (Map.Entry<Traffic, Long> each : traffic) {
      singles.add(lost(each.getKey(), 1));
    }
    for (Map.Entry<Traffic, Long> each : answers) {
      singles.add(single(each.getKey(), 1, FaultAction.of(Kind.FORGE_RNR)));
    }
    for (Map.Entry<Traffic, Long> each : traffic) {
      if (each.getValue() > 1) {
        singles.add(lost(each.getKey(), each.getValue()));
      }
    }
    for (long nth = 2; nth <= MOST_BETWEEN; nth++) {
      for (Map.Entry<Traffic, Long> each : traffic) {
        if (nth < each.getValue()) {
          singles.add(lost(each.getKey(), nth));
        }
      }
    }
  }

  private static List<Kind> weighted(Map<Kind, Integer> weights) {
    List<Kind> kinds = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      for (int i = 0; i < weights.getOrDefault(kind, 0); i++) {
        kinds.add(kind);
      }
    }
    return kinds;
  }

  private static boolean isAnswer(Traffic traffic) {
    Opcode known = Opcode.of(traffic.opcode());
    return known == Opcode.RC_ACKNOWLEDGE || known == Opcode.XRC_ACKNOWLEDGE;
  }

  private static FaultMatcher meaning(Traffic traffic) {
    return FaultMatcher.ALL.withDirection(traffic.direction()).withOpcode(traffic.opcode());
  }

  private static FaultRule lost(Traffic traffic, long nth) {
    return single(traffic, nth, FaultAction.DROP);
  }

  private static FaultRule lost(FaultMatcher matcher) {
    return new FaultRule(matcher, FaultChoice.ALL.withNth(1), FaultAction.DROP);
  }

  private static FaultRule single(Traffic traffic, long nth, FaultAction action) {
    return new FaultRule(meaning(traffic), FaultChoice.ALL.withNth(nth), action);
  }

  /** The trial with a number, from 1. */
  public Trial trial(int number) {
    int single = number / 2;
    if (number % 2 == 1 && single < singles.size()) {
      return new Trial(seed, List.of(singles.get(single)));
    }
    SplittableRandom draw = new SplittableRandom(seed + number * STREAM);
    int rules = 1;
    while (rules < 5 && draw.nextInt(3) == 0) {
      rules++;
    }
    List<FaultRule> drawn = new ArrayList<>();
    List<VerbsRule> ofVerbs = new ArrayList<>();
    for (int i = 0; i < rules; i++) {
      if (verbs.hasCalls() && draw.nextBoolean()) {
        ofVerbs.add(verbs.rule(draw));
      } else {
        FaultRule rule = rule(draw);
        if (rule.matcher().state() != null) {
          drawn.add(
              lost(rule.matcher().withState(null))); // otherwise no datagram would be repeated
        }
        drawn.add(rule);
      }
    }
    return new Trial(seed + number, drawn, ofVerbs);
  }

  private FaultRule rule(SplittableRandom draw) {
    Kind kind = KINDS.get(draw.nextInt(KINDS.size()));
    boolean forged = kind == Kind.FORGE_RNR && !answers.isEmpty();
    List<Map.Entry<Traffic, Long>> among = forged ? answers : traffic;
    Map.Entry<Traffic, Long> about = among.get(draw.nextInt(among.size()));
    FaultAction action = kind == Kind.FORGE_RNR && !forged ? FaultAction.DROP : action(kind, draw);
    FaultMatcher matcher = meaning(about.getKey());
    long most = about.getValue();
    if (!forged && draw.nextInt(6) == 0) {
      matcher = matcher.withOpcode(FaultMatcher.ANY);
      most = traffic.stream().mapToLong(Map.Entry::getValue).sum();
    }
    if (action.kind() == Kind.DROP && draw.nextInt(12) == 0) {
      FaultMatcher repeated = matcher.withState(PacketState.REPEATED);
      return new FaultRule(repeated, FaultChoice.ALL.withNth(1), action);
    }
    boolean once = TrialSize.lasts(action.kind());
    return new FaultRule(matcher, once ? nth(draw, most) : choice(draw, most), action);
  }

  private static FaultAction action(Kind kind, SplittableRandom draw) {
    return switch (kind) {
      case DUPLICATE -> new FaultAction(kind, 1 + draw.nextInt(3));
      case DELAY -> new FaultAction(kind, time(draw, 5));
      case REORDER -> new FaultAction(kind, 1 + draw.nextInt(10));
      case BLACKHOLE, PORT_DOWN -> new FaultAction(kind, time(draw, 4));
      case BURST -> FaultAction.of(kind, 0, 0.5, 1);
      default -> FaultAction.of(kind);
    };
  }

  /** From a microsecond to 5 times a power of ten of them. */
  private static long time(SplittableRandom draw, int powers) {
    long time = US * (draw.nextBoolean() ? 1 : 5);
    for (int i = draw.nextInt(powers); i > 0; i--) {
      time *= 10;
    }
    return time;
  }

  private static FaultChoice choice(SplittableRandom draw, long most) {
    FaultChoice nth = nth(draw, most);
    return switch (draw.nextInt(20)) {
      case 0, 1 -> nth.withTimes(2 + draw.nextInt(2));
      case 2 -> nth.withEvery(3 + draw.nextInt(5)).withTimes(2 + draw.nextInt(4));
      case 3, 4, 5 ->
          FaultChoice.ALL.withProbability(PROBABILITIES[draw.nextInt(PROBABILITIES.length)]);
      default -> nth;
    };
  }

  /**
   * Chooses the first or the last datagram, a datagram in between, or a later one that only faults
   * cause.
   */
  private static FaultChoice nth(SplittableRandom draw, long most) {
    long nth =
        switch (draw.nextInt(4)) {
          case 0 -> 1;
          case 1 -> most;
          default -> 1 + draw.nextLong(most + 2);
        };
    return FaultChoice.ALL.withNth(nth);
  }
}
