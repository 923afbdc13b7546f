package org.roce4j.port.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.options.Quantity;
import org.roce4j.options.Said;
import org.roce4j.options.Word;
import org.roce4j.port.fault.FaultAction.Detail;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Transport;

/**
 * A rule of a fault plan: a matcher, a choice among the datagrams that match, and the action
 * applied to them.
 *
 * <p>As text, the action with its details comes first, then the matcher and the choice: {@code drop
 * direction=out opcode=RC_SEND_LAST nth=3}, {@code delay=2ms qpn=0x000011 every=10}, {@code rate=1G
 * queue=64KiB}, {@code blackhole=5s service=RC after=1s}.
 *
 * <p>A probability in place of the amount is the probability of the choice: {@code duplicate=5%} is
 * {@code duplicate probability=5%}, and {@code loss=1%} is {@code drop probability=1%}.
 */
public record FaultRule(FaultMatcher matcher, FaultChoice choice, FaultAction action) {
  /** No amount is written with these. */
  private static final Pattern PROBABILITY = Pattern.compile("[.%]|[eE]-");

  private static final int MOST_OPCODE = 0xFF;
  private static final int MOST_24 = 0xFF_FFFF;

  /**
   * The rule of these words, which are as {@link #toString} prints it. Several actions before the
   * matcher make several rules.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL with the word that is not understood and its
   *     place
   */
  public static List<FaultRule> of(List<Word> words) {
    List<FaultRule> rules = new ArrayList<>();
    Said said = new Said();
    FaultRule narrowed = new FaultRule(FaultMatcher.ALL, FaultChoice.ALL, FaultAction.DROP);
    for (Word word : words) {
      try {
        narrowed = read(word, rules, narrowed, said);
      } catch (VerbsException e) {
        throw word.refused(e);
      }
    }
    FaultRule common = narrowed;
    return rules.stream().map(rule -> rule.among(common)).toList();
  }

  /**
   * Reads one word: adds an action, or a detail of the last one, to the rules, or narrows the
   * matcher or the choice.
   */
  private static FaultRule read(Word word, List<FaultRule> rules, FaultRule narrowed, Said said) {
    FaultRule newest = rules.isEmpty() ? null : rules.getLast();
    Detail detail = newest == null ? null : detail(newest.action, word);
    if (detail != null) {
      said.once(word, word.key() + " of fault " + rules.size());
      FaultAction detailed = newest.action.with(detail, word.read(detail::read));
      rules.set(rules.size() - 1, new FaultRule(newest.matcher, newest.choice, detailed));
      return narrowed;
    }
    if (Kind.named(word.key()) != null) {
      rules.add(begun(word));
      return narrowed;
    }
    if (newest == null) {
      throw Quantity.refuse("'%s' is no fault; there are: %s", word, Kind.names());
    }
    said.once(word, FaultChoice.things(word));
    if (word.key().equals("probability")) {
      rules.forEach(rule -> rule.requireNoProbability(word));
    }
    return narrowed.narrowed(word);
  }

  private void requireNoProbability(Word word) {
    if (choice.probability() != 1) {
      throw Quantity.refuse(
          "%s: %s=%s is there already",
          word, action.kind().text(), FaultChoice.percent(choice.probability()));
    }
  }

  private static Detail detail(FaultAction action, Word word) {
    return action.kind().details().stream()
        .filter(detail -> detail.text().equals(word.key()) && word.value() != null)
        .findAny()
        .orElse(null);
  }

  private static FaultRule begun(Word word) {
    Kind kind = Kind.named(word.key());
    String value = word.value();
    boolean byItsName = kind.text().equals(word.key());
    if (value == null && byItsName) {
      return new FaultRule(FaultMatcher.ALL, FaultChoice.ALL, FaultAction.of(kind));
    }
    if (value == null) {
      throw Quantity.refuse("'%s' needs a probability, such as %s=1%%", word, word);
    }
    if (!kind.hasAmount() || PROBABILITY.matcher(value).find()) {
      double probability = word.read(Quantity::probability);
      FaultChoice choice = FaultChoice.ALL.withProbability(probability);
      return new FaultRule(FaultMatcher.ALL, choice, FaultAction.of(kind));
    }
    FaultAction action = new FaultAction(kind, word.read(kind::read));
    return new FaultRule(FaultMatcher.ALL, FaultChoice.ALL, action);
  }

  /**
   * This rule with the matcher and choice of {@code common}, but its own probability if it has one.
   */
  private FaultRule among(FaultRule common) {
    double own = choice.probability();
    return new FaultRule(
        common.matcher, own == 1 ? common.choice : common.choice.withProbability(own), action);
  }

  private FaultRule narrowed(Word word) {
    FaultChoice chosen = choice.with(word);
    if (chosen != null) {
      return new FaultRule(matcher, chosen, action);
    }
    return switch (word.key()) {
      case "direction" -> meaning(matcher.withDirection(constant(word, FaultDirection.values())));
      case "service" -> meaning(matcher.withService(constant(word, Transport.values())));
      case "opcode" -> meaning(matcher.withOpcode(word.read(FaultRule::opcode)));
      case "qpn" -> meaning(matcher.withDestQp(word.read(FaultRule::number)));
      case "psn" -> meaning(matcher.withPsn(word.read(FaultRule::number)));
      case "state" -> meaning(matcher.withState(constant(word, PacketState.values())));
      default ->
          throw Quantity.refuse(
              "'%s' chooses nothing; there are: direction service opcode qpn psn state nth first"
                  + " every times probability after until",
              word);
    };
  }

  private FaultRule meaning(FaultMatcher changed) {
    return new FaultRule(changed, choice, action);
  }

  private static <E extends Enum<E>> E constant(Word word, E[] values) {
    return Stream.of(values)
        .filter(value -> value.name().equalsIgnoreCase(word.value()))
        .findAny()
        .orElseThrow(
            () ->
                Quantity.refuse(
                    "%s: give %s",
                    word,
                    Stream.of(values)
                        .map(value -> value.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(" or "))));
  }

  /** The number of an opcode, given by its name in {@link Opcode} or by number. */
  private static int opcode(String value) {
    for (Opcode known : Opcode.values()) {
      if (known.name().equalsIgnoreCase(value)) {
        return known.code();
      }
    }
    try {
      return (int) Quantity.COUNT.read(value, 0, MOST_OPCODE);
    } catch (VerbsException e) {
      throw Quantity.refuse("%s, or an opcode's name such as RC_SEND_ONLY", e.remedy());
    }
  }

  private static int number(String value) {
    return (int) Quantity.COUNT.read(value, 0, MOST_24);
  }

  /** Whether this loses every datagram that a later rule of its plan would choose. */
  boolean losesAllOf(FaultRule later) {
    boolean loses =
        switch (action.kind()) {
          case DROP, BLACKHOLE, PORT_DOWN -> true;
          default -> false;
        };
    return loses
        && matcher.covers(later.matcher)
        && (choice.coversUncounted(later.choice)
            || later.matcher.covers(matcher) && choice.covers(later.choice));
  }

  @Override
  public String toString() {
    return Stream.of(action, matcher, choice)
        .map(Object::toString)
        .filter(words -> !words.isEmpty())
        .collect(Collectors.joining(" "));
  }
}
