package org.roce4j.conformance.remote;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.roce4j.options.Quantity;

/**
 * Numbers as dialogues write them: decimal or {@code 0x}, names, the units {@code ms} and {@code
 * us} for times in nanoseconds, and {@code +}, {@code -}, {@code *} without spaces. Arithmetic
 * wraps around.
 */
final class Expression {
  private static final Pattern TOKEN =
      Pattern.compile("(?:0x[0-9a-fA-F]+|\\d+(?:ms|us)?|[A-Za-z_][\\w.]*)|[-+*]");

  private final ToLongFunction<String> names;
  private final Deque<String> tokens = new ArrayDeque<>();

  private Expression(String text, ToLongFunction<String> names) {
    this.names = names;
    List<String> found = TOKEN.matcher(text).results().map(MatchResult::group).toList();
    if (!String.join("", found).equals(text)) {
      throw new IllegalArgumentException("no number: " + text);
    }
    tokens.addAll(found);
  }

  /**
   * Evaluates an expression.
   *
   * @param names the values of names
   * @throws IllegalArgumentException if the text is not an expression, or from {@code names}
   */
  static long value(String text, ToLongFunction<String> names) {
    return new Expression(text, names).sum();
  }

  private long sum() {
    long sum = tokens.isEmpty() || "-".equals(tokens.peek()) ? 0 : product();
    while (!tokens.isEmpty()) {
      sum += tokens.remove().equals("-") ? -product() : product();
    }
    return sum;
  }

  private long product() {
    long product = atom();
    while ("*".equals(tokens.peek())) {
      tokens.remove();
      product *= atom();
    }
    return product;
  }

  private long atom() {
    String token = tokens.isEmpty() ? "" : tokens.remove();
    if (token.startsWith("0x")) {
      return Long.parseUnsignedLong(token.substring(2), 16);
    }
    if (token.isEmpty() || !Character.isDigit(token.charAt(0))) {
      return names.applyAsLong(token);
    }
    return (token.endsWith("s") ? Quantity.TIME : Quantity.COUNT).read(token);
  }
}
