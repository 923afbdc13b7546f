package org.roce4j.port.fault;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.options.Quantity;
import org.roce4j.options.Word;
import org.roce4j.verbs.text.Wording;

/**
 * Selects some of the datagrams that a rule matches.
 *
 * <p>In a rule for one PSN and queue pair, the n-th datagram is the n-th transmission of that
 * packet, so a retransmission can be chosen.
 *
 * @param first the first matching datagram to choose, from 1
 * @param every chooses every n-th matching datagram from {@code first} on; 1: all
 * @param times greatest number of datagrams to choose; {@link Long#MAX_VALUE}: no limit
 * @param probability probability that the action is applied to a chosen datagram, 0..1
 * @param afterNs start of the rule, in nanoseconds since the plan began; earlier datagrams do not
 *     count
 * @param untilNs end of the rule, exclusive; {@link Long#MAX_VALUE}: no end
 */
public record FaultChoice(
    long first, long every, long times, double probability, long afterNs, long untilNs) {
  /** Every datagram. */
  public static final FaultChoice ALL = new FaultChoice(1, 1, Long.MAX_VALUE, 1, 0, Long.MAX_VALUE);

  /**
   * @throws org.roce4j.verbs.VerbsException EINVAL for a value out of its range
   */
  public FaultChoice {
    Quantity.requireRange("first", first, 1, Long.MAX_VALUE);
    Quantity.requireRange("every", every, 1, Long.MAX_VALUE);
    Quantity.requireRange("times", times, 1, Long.MAX_VALUE);
    Quantity.requireProbability("probability", probability);
    Quantity.requireRange("after", afterNs, 0, Long.MAX_VALUE);
    if (untilNs <= afterNs) {
      throw Quantity.refuse(
          "after=%s until=%s: nothing comes between; give a later end",
          Quantity.TIME.print(afterNs), Quantity.TIME.print(untilNs));
    }
  }

  /** Only the n-th datagram, from 1. */
  public FaultChoice withNth(long value) {
    return new FaultChoice(value, every, 1, probability, afterNs, untilNs);
  }

  /** This choice with another first datagram, from 1. */
  public FaultChoice withFirst(long value) {
    return new FaultChoice(value, every, times, probability, afterNs, untilNs);
  }

  /** This choice of every n-th datagram from the first on; 1: all. */
  public FaultChoice withEvery(long value) {
    return new FaultChoice(first, value, times, probability, afterNs, untilNs);
  }

  /** This choice of at most {@code value} datagrams, from 1. */
  public FaultChoice withTimes(long value) {
    return new FaultChoice(first, every, value, probability, afterNs, untilNs);
  }

  /** This choice with another probability, 0..1. */
  public FaultChoice withProbability(double value) {
    return new FaultChoice(first, every, times, value, afterNs, untilNs);
  }

  /** This choice with another start, in nanoseconds since the plan began. */
  public FaultChoice withAfterNs(long value) {
    return new FaultChoice(first, every, times, probability, value, untilNs);
  }

  /** This choice with another end, exclusive, in nanoseconds since the plan began. */
  public FaultChoice withUntilNs(long value) {
    return new FaultChoice(first, every, times, probability, afterNs, value);
  }

  /**
   * This choice changed by a word of a rule, or null if the word does not concern the choice.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL for a value out of its range
   */
  public FaultChoice with(Word word) {
    return switch (word.key()) {
      case "nth" -> withNth(word.read(FaultChoice::positive));
      case "first" -> withFirst(word.read(FaultChoice::positive));
      case "every" -> withEvery(word.read(FaultChoice::positive));
      case "times" -> withTimes(word.read(FaultChoice::positive));
      case "probability" -> withProbability(word.read(Quantity::probability));
      case "after" -> withAfterNs(word.read(Quantity.TIME::read));
      case "until" -> withUntilNs(word.read(Quantity.TIME::read));
      default -> null;
    };
  }

  private static long positive(String text) {
    long number = Quantity.COUNT.read(text);
    if (number < 1) {
      throw Quantity.refuse("give a whole number from 1");
    }
    return number;
  }

  /** The settings that a word of a rule determines: nth also sets first, every and times. */
  public static String[] things(Word word) {
    return word.key().equals("nth")
        ? new String[] {"nth", "first", "every", "times"}
        : new String[] {word.key()};
  }

  /** Whether this chooses every datagram that another choice chooses, whatever each has counted. */
  boolean coversUncounted(FaultChoice other) {
    return first == 1
        && every == 1
        && times == Long.MAX_VALUE
        && probability == 1
        && afterNs <= other.afterNs
        && untilNs >= other.untilNs;
  }

  /** Whether this chooses every datagram that another choice chooses, if both count the same. */
  boolean covers(FaultChoice other) {
    boolean isOnce = other.times == 1;
    return probability == 1
        && afterNs == other.afterNs
        && untilNs == other.untilNs
        && chooses(other.first)
        && (isOnce || other.every % every == 0)
        && (isOnce || times == Long.MAX_VALUE || endsBehind(other));
  }

  private boolean endsBehind(FaultChoice other) {
    return other.times - 1 <= (Long.MAX_VALUE - other.first) / other.every
        && chooses(other.first + (other.times - 1) * other.every);
  }

  /** Whether the time, in nanoseconds since the plan began, is between start and end. */
  public boolean isOpen(long sinceBegunNs) {
    return sinceBegunNs >= afterNs && sinceBegunNs < untilNs;
  }

  /** Whether the n-th matching datagram, from 1, is chosen. */
  public boolean chooses(long n) {
    long beyond = n - first;
    return beyond >= 0 && beyond % every == 0 && beyond / every < times;
  }

  /** The choice in words: {@code the 3rd, with a probability of 10%}. */
  public String explain() {
    String after = afterNs == 0 ? "" : ", after " + Quantity.TIME.print(afterNs);
    String until = untilNs == Long.MAX_VALUE ? "" : ", until " + Quantity.TIME.print(untilNs);
    String chance = probability == 1 ? "" : ", with a probability of " + percent(probability);
    return counted() + after + until + chance;
  }

  private String counted() {
    if (times == 1) {
      return "the " + ordinal(first);
    }
    String each = every == 1 ? "each" : "every " + ordinal(every);
    String from = first == 1 ? "" : " from the " + ordinal(first) + " on";
    return each + from + (times == Long.MAX_VALUE ? "" : ", " + times + " at most");
  }

  private static String ordinal(long n) {
    boolean teen = n / 10 % 10 == 1;
    return n + (teen ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th");
  }

  static String percent(double probability) {
    return Wording.of("%s%%", Math.round(probability * 1e8) / 1e6).replace(".0%", "%");
  }

  /** The text that {@link FaultRule#of} reads; empty for {@link #ALL}. */
  @Override
  public String toString() {
    List<String> words = new ArrayList<>();
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
    if (afterNs != 0) {
      words.add("after=" + Quantity.TIME.print(afterNs));
    }
    if (untilNs != Long.MAX_VALUE) {
      words.add("until=" + Quantity.TIME.print(untilNs));
    }
    return String.join(" ", words);
  }
}
