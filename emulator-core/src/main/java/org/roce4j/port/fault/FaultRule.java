package org.roce4j.port.fault;

/**
 * One line of a {@link FaultPlan}: these datagrams suffer this.
 *
 * <p>Written as the action, then the matcher: {@code drop direction=out opcode=RC_SEND_LAST nth=3},
 * {@code delay=2ms qpn=0x000011 every=10}, {@code corrupt-icrc probability=1%}.
 */
public record FaultRule(FaultMatcher matcher, FaultAction action) {
  /** The rule that {@link #toString} prints. */
  public static FaultRule parse(String text) {
    String[] words = text.strip().split("\\s+");
    FaultMatcher matcher = FaultMatcher.ALL;
    for (int i = 1; i < words.length; i++) {
      matcher = narrowed(matcher, words[i]);
    }
    return new FaultRule(matcher, action(words[0]));
  }

  private static FaultAction action(String word) {
    int equals = word.indexOf('=');
    String name = equals < 0 ? word : word.substring(0, equals);
    for (FaultAction.Kind kind : FaultAction.Kind.values()) {
      if (kind.text().equals(name)) {
        return equals < 0
            ? FaultAction.of(kind)
            : new FaultAction(kind, FaultText.number(name, word.substring(equals + 1)));
      }
    }
    StringBuilder known = new StringBuilder();
    for (FaultAction.Kind kind : FaultAction.Kind.values()) {
      known.append(' ').append(kind.text());
    }
    throw FaultText.refuse("'" + word + "' is no fault; there are:" + known);
  }

  private static FaultMatcher narrowed(FaultMatcher matcher, String word) {
    int equals = word.indexOf('=');
    String key = equals < 0 ? word : word.substring(0, equals);
    String value = equals < 0 ? "" : word.substring(equals + 1);
    return switch (key) {
      case "direction" -> matcher.withDirection(direction(value));
      case "opcode" -> matcher.withOpcode(FaultText.opcode(key, value));
      case "qpn" -> matcher.withDestQp(FaultText.small(key, value));
      case "psn" -> matcher.withPsn(FaultText.small(key, value));
      case "nth" -> matcher.withNth(FaultText.number(key, value));
      case "first" -> matcher.withFirst(FaultText.number(key, value));
      case "every" -> matcher.withEvery(FaultText.number(key, value));
      case "times" -> matcher.withTimes(FaultText.number(key, value));
      case "probability" -> matcher.withProbability(FaultText.probability(key, value));
      default ->
          throw FaultText.refuse(
              "'"
                  + word
                  + "' chooses nothing; there are: direction opcode qpn psn nth first every times"
                  + " probability");
    };
  }

  private static FaultDirection direction(String value) {
    return switch (value) {
      case "in" -> FaultDirection.IN;
      case "out" -> FaultDirection.OUT;
      default -> throw FaultText.refuse("direction=" + value + ": give in or out");
    };
  }

  @Override
  public String toString() {
    return (action + " " + matcher).strip();
  }
}
