package org.roce4j.faulty;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.options.Quantity;
import org.roce4j.options.Said;
import org.roce4j.options.Word;
import org.roce4j.port.fault.FaultChoice;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.EventType.Target;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.text.Wording;

/**
 * A fault at the verbs, independent of the network: {@code refuse=ENOMEM call=registerMemory
 * nth=2}, {@code fail=RETRY_EXC_ERR qpn=0x11 nth=3}.
 *
 * @param value number of the errno, status or event of the kind, or nanoseconds
 * @param call Java name of the method to match, {@code postSend} and {@code poll} for every way to
 *     post or poll; empty: any
 * @param index index of the request to refuse in a call that posts. Requests of a list before it
 *     are posted; a builder posts none
 * @param qpn queue pair to match; {@link #ANY}: any
 */
public record VerbsRule(
    Kind kind, long value, String call, int index, int qpn, FaultChoice choice) {
  /** Any queue pair. */
  public static final int ANY = -1;

  private static final int MOST_INDEX = 0xFF_FFFF;
  private static final int MOST_QPN = 0xFF_FFFF;

  /**
   * @throws VerbsException EINVAL for a rule that can match nothing: no call or event has all that
   *     it names
   */
  public VerbsRule {
    Set<Target> objects = EnumSet.noneOf(Target.class);
    EventType event = kind.isOfEvents() ? EventType.of((int) value) : null;
    if (event != null) {
      objects.add(event.target());
    }
    if (qpn != ANY) {
      objects.add(Target.QUEUE_PAIR);
    }
    boolean possible =
        kind.meansCalls()
            ? !Calls.with(objects, call).isEmpty()
            : objects.size() < 2 && !objects.contains(Target.WORK_QUEUE);
    if (!possible) {
      throw impossible(event, call, qpn, Calls.with(objects, ""));
    }
    if (index > 0) {
      requireLists(kind, call);
    }
  }

  private static VerbsException impossible(
      EventType event, String call, int qpn, Set<String> calls) {
    if (event != null && event.target() == Target.WORK_QUEUE) {
      return Quantity.refuse("no program has a work queue, which event %s is about", event);
    }
    String words =
        Stream.of(
                event == null ? "" : "event " + event,
                call.isEmpty() ? "" : "call=" + call,
                qpn == ANY ? "" : "qpn")
            .filter(word -> !word.isEmpty())
            .collect(Collectors.joining(" and "));
    return Quantity.refuse(
        "nothing has %s: %s",
        words,
        call.isEmpty() || calls.isEmpty()
            ? "leave one of them out"
            : "give one of the calls " + String.join(" ", calls));
  }

  private static void requireLists(Kind kind, String call) {
    if (kind != Kind.REFUSE || !call.isEmpty() && !Calls.POSTING.contains(call)) {
      throw Quantity.refuse(
          "index is of a request in a list: write refuse, and call=%s",
          String.join(" or call=", Calls.POSTING.stream().sorted().toList()));
    }
  }

  /** The kinds of faults. */
  public enum Kind {
    /** The call fails with an errno and does nothing. */
    REFUSE,
    /** A completion is delayed, and with it the later ones of its queue pair. */
    LATE,
    /** A completion has this status, and its queue pair goes to ERR. */
    FAIL,
    /** The completion queue overflows: event CQ_ERR; this and all further completions are lost. */
    CQ_OVERFLOW,
    /** The call succeeds, and an asynchronous event without a cause is delivered. */
    EVENT,
    /** An asynchronous event of this type is lost. */
    LOSE_EVENT,
    /** The device fails: event DEVICE_FATAL; this and all further calls fail with EIO. */
    DEVICE_FATAL;

    /** Its name in a plan. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether the rule matches calls; else completions or events. */
    public boolean meansCalls() {
      return this == REFUSE || this == EVENT || this == DEVICE_FATAL;
    }

    private boolean isOfEvents() {
      return this == EVENT || this == LOSE_EVENT;
    }
  }

  /** The names of the calls that a rule can match. */
  public static Set<String> calls() {
    return Calls.NAMES;
  }

  /** Whether the word is a fault of the verbs, with which a rule begins. */
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
   * The rule of these words.
   *
   * @throws VerbsException EINVAL with the word that is not understood and its place
   */
  public static VerbsRule of(List<Word> words) {
    VerbsRule rule = null;
    boolean indexed = false;
    Said said = new Said();
    for (Word word : words) {
      try {
        if (rule != null) {
          said.once(word, FaultChoice.things(word));
        }
        rule = rule == null ? begun(word) : rule.narrowed(word);
        indexed |= word.key().equals("index");
        if (indexed) {
          requireLists(rule.kind, rule.call);
        }
      } catch (VerbsException e) {
        throw word.refused(e);
      }
    }
    return rule;
  }

  private static VerbsRule begun(Word word) {
    Kind kind = named(word);
    if (kind == null) {
      throw Quantity.refuse("'%s' is no fault of the verbs; there are: %s", word, names());
    }
    long value =
        switch (kind) {
          case REFUSE -> errno(word).number();
          case FAIL -> failure(word).value();
          case EVENT, LOSE_EVENT -> constant(word, EventType.values()).value();
          case LATE -> word.read(text -> Quantity.TIME.read(text, 1, Long.MAX_VALUE));
          case CQ_OVERFLOW, DEVICE_FATAL -> nothing(word);
        };
    return new VerbsRule(kind, value, "", 0, ANY, FaultChoice.ALL);
  }

  /** The kinds as they are written in a plan. */
  public static String names() {
    return Stream.of(Kind.values()).map(Kind::text).collect(Collectors.joining(" "));
  }

  private static WcStatus failure(Word word) {
    WcStatus status = constant(word, WcStatus.values());
    if (status == WcStatus.SUCCESS) {
      throw Quantity.refuse("%s: give a status other than SUCCESS", word);
    }
    return status;
  }

  private static long nothing(Word word) {
    if (word.value() != null) {
      throw Quantity.refuse("%s: '%s' has no value", word, word.key());
    }
    return 0;
  }

  /** There are too many to be listed. */
  private static Errno errno(Word word) {
    return named(word, Errno.values())
        .orElseThrow(
            () -> Quantity.refuse("%s: give an errno such as EINVAL, ENOMEM or EAGAIN", word));
  }

  private static <E extends Enum<E>> E constant(Word word, E[] values) {
    return named(word, values)
        .orElseThrow(() -> Quantity.refuse("%s: give one of %s", word, Arrays.toString(values)));
  }

  private static <E extends Enum<E>> Optional<E> named(Word word, E[] values) {
    return Stream.of(values).filter(value -> value.name().equalsIgnoreCase(word.value())).findAny();
  }

  private VerbsRule narrowed(Word word) {
    FaultChoice chosen = choice.with(word);
    if (chosen != null) {
      return new VerbsRule(kind, value, call, index, qpn, chosen);
    }
    return switch (word.key()) {
      case "qpn" -> {
        int number = word.read(text -> (int) Quantity.COUNT.read(text, 0, MOST_QPN));
        yield new VerbsRule(kind, value, call, index, number, choice);
      }
      case "call" -> called(word);
      case "index" -> {
        int number = word.read(text -> (int) Quantity.COUNT.read(text, 0, MOST_INDEX));
        yield new VerbsRule(kind, value, call, number, qpn, choice);
      }
      default ->
          throw Quantity.refuse(
              "'%s' chooses nothing; there are: call index qpn nth first every times probability"
                  + " after until",
              word);
    };
  }

  private VerbsRule called(Word word) {
    if (!kind.meansCalls()) {
      throw Quantity.refuse("%s: %s is not about calls", word, kind.text());
    }
    if (!Calls.NAMES.contains(String.valueOf(word.value()))) {
      throw Quantity.refuse("%s: no such call; there are: %s", word, String.join(" ", Calls.NAMES));
    }
    return new VerbsRule(kind, value, word.value(), index, qpn, choice);
  }

  /** Explains the rule in a sentence. */
  public String explain() {
    String things =
        switch (kind) {
          case REFUSE, DEVICE_FATAL -> calledInWords();
          case EVENT -> calledInWords() + Calls.inWords(EventType.of((int) value).target());
          case LATE, FAIL, CQ_OVERFLOW -> "all completions";
          case LOSE_EVENT -> "the events " + EventType.of((int) value);
        };
    String whose = qpn == ANY ? "" : Wording.of(" of queue pair 0x%06x", qpn);
    String request = index == 0 ? "" : " that have a request " + index;
    return Wording.of("Of %s%s%s, %s: %s.", things, whose, request, choice.explain(), happens());
  }

  private String calledInWords() {
    return call.isEmpty() ? "all calls" : "the calls of " + call;
  }

  /** Whether calls of this object are meant, as the event that comes must be about it. */
  boolean isAbout(Object object) {
    return kind != Kind.EVENT || Calls.has(EventType.of((int) value).target(), object);
  }

  private String happens() {
    return switch (kind) {
      case REFUSE ->
          index == 0
              ? "it fails with " + Errno.of((int) value) + " and does nothing"
              : Wording.of(
                  "that request is refused with %s, those before it are posted",
                  Errno.of((int) value));
      case LATE ->
          Wording.of(
              "it comes %s later, and so do those behind it of the same queue pair",
              Quantity.TIME.print(value));
      case FAIL ->
          Wording.of(
              "it comes with status %s, and its queue pair goes to ERR", WcStatus.of((int) value));
      case CQ_OVERFLOW ->
          "event CQ_ERR; that completion and all further of its queue are lost, and its queue pairs"
              + " go to ERR";
      case EVENT ->
          Wording.of("it works, and event %s comes without cause", EventType.of((int) value));
      case LOSE_EVENT -> "it never comes";
      case DEVICE_FATAL ->
          "event DEVICE_FATAL; that call and all further fail with EIO, only closing works";
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
            index == 0 ? "" : "index=" + index,
            qpn == ANY ? "" : Wording.of("qpn=0x%06x", qpn),
            choice.toString())
        .filter(words -> !words.isEmpty())
        .collect(Collectors.joining(" "));
  }
}
