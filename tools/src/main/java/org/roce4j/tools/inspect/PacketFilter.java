package org.roce4j.tools.inspect;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.roce4j.options.Quantity;
import org.roce4j.options.Word;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.inspect.Mark;

/**
 * Chooses packets by their {@link PacketFields}, in the words of a fault plan: {@code qpn=0x11
 * opcode=RC_SEND_* psn=10..20 mark!=retransmission}. A packet is chosen when every word holds. A
 * value is a number, a range of numbers, or text in which {@code *} stands for anything; several
 * values are separated by commas. {@code mark} without a value chooses packets that have one. A
 * value that the field can never have is refused.
 */
final class PacketFilter implements Predicate<Map<String, Object>> {
  private static final Set<String> NUMBERS =
      Set.of("number", "part", "time", "qpn", "psn", "pkey", "payload", "relativePsn", "gap");
  private static final Set<String> TEXTS = Set.of("interface", "source", "destination", "comment");
  private static final List<String> FLAG = List.of("true", "false");

  /** Every value that the field can have. */
  private static final Map<String, List<String>> CHOICES =
      Map.of(
          "ackReq",
          FLAG,
          "solicited",
          FLAG,
          "fecn",
          FLAG,
          "becn",
          FLAG,
          "icrc",
          List.of("ok", "bad", "unknown"),
          "mark",
          Arrays.stream(Mark.values()).map(Mark::word).toList(),
          "opcode",
          Arrays.stream(Opcode.values()).map(Opcode::name).toList(),
          "service",
          Arrays.stream(Opcode.values()).map(o -> o.transport().name()).distinct().toList());

  private final List<Predicate<Map<String, Object>>> words = new ArrayList<>();

  /**
   * Reads a filter; an empty text chooses every packet.
   *
   * @throws VerbsException EINVAL, saying what is not understood
   */
  PacketFilter(String text) {
    for (Word word : Word.line(text)) {
      words.add(read(word));
    }
  }

  @Override
  public boolean test(Map<String, Object> fields) {
    return words.stream().allMatch(word -> word.test(fields));
  }

  private static Predicate<Map<String, Object>> read(Word word) {
    boolean not = word.key().endsWith("!");
    String key = not ? word.key().substring(0, word.key().length() - 1) : word.key();
    checkField(word, key);
    if (word.value() == null) {
      return fields -> has(fields.get(key));
    }
    List<Predicate<Object>> values = new ArrayList<>();
    for (String value : word.value().split(",", -1)) {
      values.add(value(word, key, value));
    }
    return fields -> {
      Object field = fields.get(key);
      return field != null && values.stream().anyMatch(value -> value.test(field)) != not;
    };
  }

  private static void checkField(Word word, String key) {
    Set<String> plain = new TreeSet<>(CHOICES.keySet());
    plain.addAll(NUMBERS);
    plain.addAll(TEXTS);
    if (!plain.contains(key) && key.indexOf('.') < 0) {
      throw Quantity.refuse(
          "'%s' names no field; there are: %s, and those of extension headers, such as reth.length",
          word, String.join(" ", plain));
    }
  }

  private static boolean has(Object field) {
    return field != null && !field.equals("") && !field.equals(false);
  }

  private static Predicate<Object> value(Word word, String key, String value) {
    int dots = value.indexOf("..");
    if (dots > 0 && "-0123456789".indexOf(value.charAt(0)) >= 0) {
      BigDecimal least = number(word, value.substring(0, dots));
      BigDecimal most = number(word, value.substring(dots + 2));
      if (least.compareTo(most) > 0) {
        throw Quantity.refuse("%s: the range ends before it begins", word);
      }
      return field ->
          field instanceof Number n
              && exact(n).compareTo(least) >= 0
              && exact(n).compareTo(most) <= 0;
    }
    if (NUMBERS.contains(key)) {
      BigDecimal number = number(word, value);
      return field -> field instanceof Number n && exact(n).compareTo(number) == 0;
    }
    Pattern pattern =
        Pattern.compile(Pattern.quote(value).replace("*", "\\E.*\\Q"), Pattern.CASE_INSENSITIVE);
    checkChoice(word, key, pattern);
    BigDecimal number = value.matches("-?\\d+|0x[0-9a-fA-F]+") ? number(word, value) : null;
    return field ->
        field instanceof Number n
            ? number != null && exact(n).compareTo(number) == 0
            : pattern.matcher(field.toString()).matches();
  }

  private static void checkChoice(Word word, String key, Pattern value) {
    List<String> choices = CHOICES.get(key);
    if (choices != null && choices.stream().noneMatch(choice -> value.matcher(choice).matches())) {
      throw Quantity.refuse(
          "%s is never so; there are: %s",
          word, String.join(" ", choices.stream().filter(choice -> !choice.isEmpty()).toList()));
    }
  }

  private static BigDecimal exact(Number number) {
    return new BigDecimal(number.toString());
  }

  private static BigDecimal number(Word word, String text) {
    try {
      return text.startsWith("0x")
          ? new BigDecimal(new BigInteger(text.substring(2), 16))
          : new BigDecimal(text);
    } catch (NumberFormatException e) {
      throw Quantity.refuse("%s: give a number, or a range such as 10..20", word);
    }
  }
}
