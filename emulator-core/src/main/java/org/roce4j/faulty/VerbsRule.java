package org.roce4j.faulty;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.options.Quantity;
import org.roce4j.options.Word;
import org.roce4j.port.fault.FaultChoice;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;

/**
 * A fault that a program meets at the verbs, whatever the network does: {@code refuse=ENOMEM
 * call=registerMemory nth=2}, {@code fail=RETRY_EXC_ERR qpn=0x11 nth=3}.
 *
 * @param value what the kind says: an errno's, a status' or an event's number, or nanoseconds
 * @param call the Java name of the method that is meant; empty: any
 * @param qpn the queue pair that is meant; {@link #ANY}: any
 */
public record VerbsRule(Kind kind, long value, String call, int qpn, FaultChoice choice) {
  /** Any queue pair. */
  public static final int ANY = -1;

  private static final int MOST_QPN = 0xFF_FFFF;

  /** What happens. */
  public enum Kind {
    /** The call fails with an errno and does nothing. */
    REFUSE,
    /** A completion comes later, and so do those behind it of the same queue pair. */
    LATE,
    /** A completion comes with this status, and its queue pair goes to the error state. */
    FAIL,
    /** The completion queue overflows: event CQ_ERR; this completion and all further are lost. */
    CQ_OVERFLOW,
    /** The call works, and an asynchronous event comes that has no cause. */
    EVENT,
    /** An asynchronous event of this type never comes. */
    LOSE_EVENT,
    /** The device has failed: event DEVICE_FATAL; this call and all further fail with EIO. */
    DEVICE_FATAL;

    /** As it is written in a plan. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether completions are counted; else calls, or events. */
    boolean meansCompletions() {
      return this == LATE || this == FAIL || this == CQ_OVERFLOW;
    }
  }

  /** Whether a rule begins with this word. */
  public static boolean isMeant(Word word) {
    return named(word) != null;
  }

  private static Kind named(Word word) {
    return Stream.of(Kind.values())
        .filter(kind -> kind.text().equals(word.key()))
        .findAny()
        .orElse(null);
  }

  /**
   * The rule that these words say.
   *
   * @throws VerbsException EINVAL, saying what is not understood, and where
   */
  public static VerbsRule of(List<Word> words) {
    VerbsRule rule = null;
    for (Word word : words) {
      try {
        rule = rule == null ? begun(word) : rule.narrowed(word);
      } catch (VerbsException e) {
        throw word.refused(e);
      }
    }
    return rule;
  }

  private static VerbsRule begun(Word word) {
    Kind kind = named(word);
    if (kind == null) {
      throw Quantity.refuse(
          "'%s' is no fault of the verbs; there are: %s",
          word, Stream.of(Kind.values()).map(Kind::text).collect(Collectors.joining(" ")));
    }
    long value =
        switch (kind) {
          case REFUSE -> constant(word, Errno.values()).number();
          case FAIL -> constant(word, WcStatus.values()).value();
          case EVENT, LOSE_EVENT -> constant(word, EventType.values()).value();
          case LATE -> word.read(text -> Quantity.TIME.read(text, 1, Long.MAX_VALUE));
          default -> 0;
        };
    return new VerbsRule(kind, value, "", ANY, FaultChoice.ALL);
  }

  private static <E extends Enum<E>> E constant(Word word, E[] values) {
    return Stream.of(values)
        .filter(value -> value.name().equalsIgnoreCase(word.value()))
        .findAny()
        .orElseThrow(() -> Quantity.refuse("%s: give one of %s", word, Arrays.toString(values)));
  }

  private VerbsRule narrowed(Word word) {
    FaultChoice chosen = choice.with(word);
    if (chosen != null) {
      return new VerbsRule(kind, value, call, qpn, chosen);
    }
    return switch (word.key()) {
      case "qpn" -> {
        int number = word.read(text -> (int) Quantity.COUNT.read(text, 0, MOST_QPN));
        yield new VerbsRule(kind, value, call, number, choice);
      }
      case "call" -> {
        if (kind.meansCompletions() || kind == Kind.LOSE_EVENT) {
          throw Quantity.refuse("%s: %s is not about calls", word, kind.text());
        }
        if (!Calls.NAMES.contains(String.valueOf(word.value()))) {
          throw Quantity.refuse(
              "%s: no such call; there are: %s", word, String.join(" ", Calls.NAMES));
        }
        yield new VerbsRule(kind, value, word.value(), qpn, choice);
      }
      default ->
          throw Quantity.refuse(
              "'%s' chooses nothing; there are: call qpn nth first every times probability after"
                  + " until",
              word);
    };
  }

  @Override
  public String toString() {
    String amount =
        switch (kind) {
          case REFUSE -> "=" + Errno.of((int) value).name();
          case FAIL -> "=" + WcStatus.of((int) value).name();
          case EVENT, LOSE_EVENT -> "=" + EventType.of((int) value).name();
          case LATE -> "=" + Quantity.TIME.print(value);
          default -> "";
        };
    return Stream.of(
            kind.text() + amount,
            call.isEmpty() ? "" : "call=" + call,
            qpn == ANY ? "" : "qpn=0x%06x".formatted(qpn),
            choice.toString())
        .filter(words -> !words.isEmpty())
        .collect(Collectors.joining(" "));
  }
}
