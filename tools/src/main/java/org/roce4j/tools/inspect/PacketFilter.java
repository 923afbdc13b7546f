package org.roce4j.tools.inspect;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.roce4j.options.Quantity;
import org.roce4j.options.Word;
import org.roce4j.verbs.VerbsException;

/**
 * Chooses packets by their {@link PacketFields}, in the words of a fault plan: {@code qpn=0x11
 * opcode=RC_SEND_* psn=10..20 mark!=retransmission}. A packet is chosen when every word holds. A
 * value is a number, a range of numbers, or text in which {@code *} stands for anything; several
 * values are separated by commas. {@code mark} without a value chooses packets that have one.
 */
final class PacketFilter implements Predicate<Map<String, Object>> {
  private static final Set<String> PLAIN =
      Set.of(
          "number",
          "time",
          "interface",
          "source",
          "destination",
          "icrc",
          "service",
          "opcode",
          "qpn",
          "psn",
          "ackReq",
          "solicited",
          "fecn",
          "becn",
          "pkey",
          "payload",
          "relativePsn",
          "mark",
          "gap",
          "comment");

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
    if (!PLAIN.contains(key) && key.indexOf('.') < 0) {
      throw Quantity.refuse(
          "'%s' names no field; there are: %s, and those of extension headers, such as reth.length",
          word, String.join(" ", PLAIN.stream().sorted().toList()));
    }
    if (word.value() == null) {
      return fields -> has(fields.get(key));
    }
    List<Predicate<Object>> values = new ArrayList<>();
    for (String value : word.value().split(",")) {
      values.add(value(word, value));
    }
    return fields -> {
      Object field = fields.get(key);
      return field != null && values.stream().anyMatch(value -> value.test(field)) != not;
    };
  }

  private static boolean has(Object field) {
    return field != null && !field.equals("") && !field.equals(false);
  }

  private static Predicate<Object> value(Word word, String value) {
    int dots = value.indexOf("..");
    if (dots > 0 && Character.isDigit(value.charAt(0))) {
      long least = number(word, value.substring(0, dots));
      long most = number(word, value.substring(dots + 2));
      return field -> field instanceof Number n && n.longValue() >= least && n.longValue() <= most;
    }
    Pattern pattern =
        Pattern.compile(Pattern.quote(value).replace("*", "\\E.*\\Q"), Pattern.CASE_INSENSITIVE);
    Long number = value.matches("-?\\d+|0x[0-9a-fA-F]+") ? number(word, value) : null;
    return field ->
        field instanceof Number n
            ? number != null && n.longValue() == number
            : pattern.matcher(field.toString()).matches();
  }

  private static long number(Word word, String text) {
    try {
      return Quantity.COUNT.read(text);
    } catch (VerbsException e) {
      throw Quantity.refuse("%s: %s", word, e.remedy());
    }
  }
}
