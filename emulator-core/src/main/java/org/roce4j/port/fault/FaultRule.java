package org.roce4j.port.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.roce4j.options.Quantity;
import org.roce4j.options.Word;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Opcode;

/**
 * What some datagrams suffer.
 *
 * <p>Written as the action, then the matcher: {@code drop direction=out opcode=RC_SEND_LAST nth=3},
 * {@code delay=2ms qpn=0x000011 every=10}, {@code corrupt-icrc probability=1%}.
 *
 * <p>A probability in place of the amount is short for the matcher's: {@code duplicate=5%} is
 * {@code duplicate probability=5%}. With one, a link's names are understood too: {@code loss=1%} is
 * {@code drop probability=1%}, {@code corrupt=1%} is {@code corrupt-payload probability=1%}.
 */
public record FaultRule(FaultMatcher matcher, FaultAction action) {
  private static final int MOST_OPCODE = 0xFF;

  /**
   * The rule that {@link #toString} prints; several, when several actions stand before the matcher.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL, saying what is not understood
   */
  public static List<FaultRule> parse(String text) {
    FaultMatcher matcher = FaultMatcher.ALL;
    List<Word> actions = new ArrayList<>();
    for (Word word : Word.line(text)) {
      if (Kind.named(word.key()) != null) {
        actions.add(word);
      } else if (actions.isEmpty()) {
        throw Quantity.refuse("'%s' is no fault; there are: %s", word, Kind.names());
      } else {
        matcher = narrowed(matcher, word);
      }
    }
    List<FaultRule> rules = new ArrayList<>();
    for (Word action : actions) {
      rules.add(rule(action, matcher));
    }
    return rules;
  }

  private static FaultRule rule(Word word, FaultMatcher matcher) {
    Kind kind = Kind.named(word.key());
    String value = word.value();
    if (value == null && kind.text().equals(word.key())) {
      return new FaultRule(matcher, FaultAction.of(kind));
    }
    if (value == null) {
      throw Quantity.refuse("'%s' needs a probability, such as %s=1%%", word, word);
    }
    boolean chance = kind.usual() == 0 || value.endsWith("%") || value.indexOf('.') >= 0;
    return chance || !kind.text().equals(word.key())
        ? new FaultRule(
            matcher.withProbability(word.read(Quantity::probability)), FaultAction.of(kind))
        : new FaultRule(matcher, new FaultAction(kind, word.read(kind.quantity()::read)));
  }

  private static FaultMatcher narrowed(FaultMatcher matcher, Word word) {
    return switch (word.key()) {
      case "direction" -> matcher.withDirection(word.read(FaultRule::direction));
      case "opcode" -> matcher.withOpcode(word.read(FaultRule::opcode));
      case "qpn" -> matcher.withDestQp(word.read(FaultRule::number));
      case "psn" -> matcher.withPsn(word.read(FaultRule::number));
      case "nth" -> matcher.withNth(word.read(Quantity.COUNT::read));
      case "first" -> matcher.withFirst(word.read(Quantity.COUNT::read));
      case "every" -> matcher.withEvery(word.read(Quantity.COUNT::read));
      case "times" -> matcher.withTimes(word.read(Quantity.COUNT::read));
      case "probability" -> matcher.withProbability(word.read(Quantity::probability));
      default ->
          throw Quantity.refuse(
              "'%s' chooses nothing; there are: direction opcode qpn psn nth first every times"
                  + " probability",
              word);
    };
  }

  private static FaultDirection direction(String value) {
    for (FaultDirection direction : FaultDirection.values()) {
      if (direction.name().toLowerCase(Locale.ROOT).equals(value)) {
        return direction;
      }
    }
    throw Quantity.refuse("give in or out");
  }

  /** An opcode by its name in {@link Opcode} or by its number. */
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
    return (int) Quantity.COUNT.read(value, 0, Integer.MAX_VALUE);
  }

  @Override
  public String toString() {
    return (action + " " + matcher).strip();
  }
}
