package org.roce4j.plans;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.fabric.LinkModel;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.options.Quantity;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultAction.Detail;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.port.fault.FaultChoice;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.PacketState;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Transport;

/** The schema of plan files, made of the enumerations that hold the language. */
final class PlanSchema {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final int MOST_24 = 0xFF_FFFF;
  private static final String REF = "$ref";
  private static final String DECIMAL = "0123456789";
  private static final String HEXADECIMAL = "0123456789abcdef";

  /** A text that the reader takes for a probability where an amount could stand. */
  private static final String NOTHING = "0+|0x0+";

  private static final String NO_AMOUNT = "(?=.*[.%-])(" + Quantity.PROBABILITY + ")";

  private PlanSchema() {}

  /** The text of docs/fault-plan.schema.json. */
  static String text() {
    ObjectNode top = JSON.createObjectNode();
    top.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    top.put("title", "A plan of faults; docs/faults.md describes the language");
    top.put("type", "object");
    top.put("additionalProperties", false);
    ObjectNode properties = top.putObject("properties");
    for (String said : List.of("$schema", "description")) {
      types(properties.putObject(said), "string", "number", "boolean", "null");
    }
    number(properties.putObject("seed"), Quantity.COUNT, Long.MIN_VALUE, Long.MAX_VALUE)
        .put("description", "of all probabilities");
    properties.set("links", links());
    ArrayNode items =
        properties.putObject("rules").put("type", "array").putObject("items").putArray("oneOf");
    items.addObject().put("type", "string").put("description", "a rule as on the command line");
    items.add(packets());
    for (VerbsRule.Kind kind : VerbsRule.Kind.values()) {
      items.add(rule(kind));
    }
    ObjectNode words = top.putObject("$defs");
    words().forEach(words::set);
    try {
      return JSON.writeValueAsString(top) + "\n";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ObjectNode links() {
    ObjectNode links = JSON.createObjectNode();
    links.put("type", "object").put("description", "of every way between two devices");
    links.put("additionalProperties", false);
    ObjectNode options = links.putObject("properties");
    for (LinkModel.Option option : LinkModel.Option.values()) {
      value(options.putObject(option.key()), option.quantity(), option.least(), option.most());
    }
    return links;
  }

  /** A rule of datagrams: one action or several, each with its details, and words for all. */
  private static ObjectNode packets() {
    ObjectNode rule = JSON.createObjectNode();
    rule.put("type", "object").put("description", "a fault of datagrams, or several at once");
    rule.put("additionalProperties", false);
    ArrayNode faults = rule.putArray("anyOf");
    ObjectNode properties = rule.putObject("properties");
    Map<String, ArrayNode> ofDetail = new TreeMap<>();
    for (Kind kind : Kind.values()) {
      faults.addObject().putArray("required").add(kind.text());
      properties.set(kind.text(), amount(kind));
      for (Detail detail : kind.details()) {
        value(
            properties.putObject(detail.text()), detail.quantity(), detail.least(), detail.most());
        ofDetail
            .computeIfAbsent(detail.text(), text -> JSON.createArrayNode())
            .addObject()
            .putArray("required")
            .add(kind.text());
      }
    }
    String loss = Detail.LOSS.text(); // a fault, too: short for drop with this probability
    faults.addObject().putArray("required").add(loss);
    ofDetail.remove(loss);
    ObjectNode details = eitherNthOrOthers(rule);
    ofDetail.forEach((detail, kinds) -> details.putObject(detail).set("anyOf", kinds));
    words().keySet().forEach(word -> properties.putObject(word).put(REF, "#/$defs/" + word));
    return rule;
  }

  private static ObjectNode amount(Kind kind) {
    ObjectNode amount = JSON.createObjectNode();
    amount.put("description", FaultAction.of(kind).explain());
    if (kind.quantity() == null) {
      types(amount, "null", "number", "string").put("minimum", 0).put("maximum", 1);
      return amount.put("pattern", "^(" + Quantity.PROBABILITY + ")?$");
    }
    String texts = texts(kind.quantity(), kind.least(), kind.most());
    ArrayNode either = amount.putArray("anyOf");
    number(either.addObject(), kind.quantity(), kind.least(), kind.most())
        .put("pattern", "^(" + texts + "|" + NO_AMOUNT + ")?$");
    either.addObject().put("type", "number").put("exclusiveMinimum", 0).put("exclusiveMaximum", 1);
    either.addObject().put("type", "null");
    return amount;
  }

  /** Of faults at the verbs, which no datagram meets. */
  private static ObjectNode rule(VerbsRule.Kind kind) {
    ObjectNode rule = JSON.createObjectNode();
    rule.put("type", "object").put("description", "a fault at the verbs");
    rule.putArray("required").add(kind.text());
    rule.put("additionalProperties", false);
    ObjectNode properties = rule.putObject("properties");
    properties.set(kind.text(), amount(kind));
    if (kind.meansCalls()) {
      properties.set("call", names(VerbsRule.calls().stream()));
    }
    if (taken(kind, 0, 1, VerbsRule.ANY).findAny().isPresent()) {
      number(properties.putObject("index"), Quantity.COUNT, 0, MOST_24);
    }
    for (String word :
        List.of("qpn", "nth", "first", "every", "times", "probability", "after", "until")) {
      properties.putObject(word).put(REF, "#/$defs/" + word);
    }
    ObjectNode dependent = eitherNthOrOthers(rule);
    if (isOfEvents(kind)) {
      rule.set("oneOf", objects(kind));
    } else if (kind.meansCalls()) {
      dependent.set("qpn", callsOf(taken(kind, 0, 0, 1)));
    }
    if (properties.has("index")) {
      dependent.set("index", callsOf(taken(kind, 0, 1, VerbsRule.ANY)));
    }
    return rule;
  }

  private static boolean isOfEvents(VerbsRule.Kind kind) {
    return kind == VerbsRule.Kind.EVENT || kind == VerbsRule.Kind.LOSE_EVENT;
  }

  /** The calls with which the code takes a rule; an empty one: it takes the rule without a call. */
  private static Stream<String> taken(VerbsRule.Kind kind, long value, int index, int qpn) {
    Stream<String> calls = kind.meansCalls() ? VerbsRule.calls().stream() : Stream.of();
    return Stream.concat(Stream.of(""), calls)
        .filter(
            call -> {
              try {
                return null != new VerbsRule(kind, value, call, index, qpn, FaultChoice.ALL);
              } catch (VerbsException e) {
                return false;
              }
            });
  }

  /** Events by the kind of their object, each with the calls that have it, alone and with qpn. */
  private static ArrayNode objects(VerbsRule.Kind kind) {
    Map<EventType.Target, List<EventType>> byObject =
        heard(kind)
            .collect(Collectors.groupingBy(EventType::target, TreeMap::new, Collectors.toList()));
    ArrayNode either = JSON.createArrayNode();
    byObject.forEach(
        (target, types) -> {
          long value = types.getFirst().value();
          ObjectNode one = callsOf(taken(kind, value, 0, VerbsRule.ANY));
          one.withObject("/properties")
              .set(kind.text(), names(types.stream().map(EventType::name)));
          List<String> ofQps = taken(kind, value, 0, 1).toList();
          if (ofQps.isEmpty()) {
            one.putObject("not").putArray("required").add("qpn");
          } else {
            one.putObject("dependentSchemas").set("qpn", callsOf(ofQps.stream()));
          }
          either.add(one);
        });
    return either;
  }

  /** The events that a rule may name. */
  private static Stream<EventType> heard(VerbsRule.Kind kind) {
    return Stream.of(EventType.values())
        .filter(type -> taken(kind, type.value(), 0, VerbsRule.ANY).findAny().isPresent());
  }

  private static ObjectNode callsOf(Stream<String> calls) {
    ObjectNode schema = JSON.createObjectNode();
    List<String> named = calls.filter(call -> !call.isEmpty()).toList();
    if (!named.isEmpty()) {
      schema.putObject("properties").set("call", names(named.stream()));
    }
    return schema;
  }

  private static ObjectNode amount(VerbsRule.Kind kind) {
    return switch (kind) {
      case REFUSE -> names(Errno.values());
      case FAIL ->
          names(Stream.of(WcStatus.values()).filter(s -> s != WcStatus.SUCCESS).map(Enum::name));
      case EVENT, LOSE_EVENT -> names(heard(kind).map(Enum::name));
      case LATE -> number(JSON.createObjectNode(), Quantity.TIME, 1, Long.MAX_VALUE);
      case CQ_OVERFLOW, DEVICE_FATAL ->
          types(JSON.createObjectNode(), "null", "string").put("maxLength", 0);
    };
  }

  /** The n-th is one; the words that choose several contradict it. */
  private static ObjectNode eitherNthOrOthers(ObjectNode rule) {
    ObjectNode dependent = rule.putObject("dependentSchemas");
    ArrayNode others = dependent.putObject("nth").putObject("not").putArray("anyOf");
    for (String other : List.of("first", "every", "times")) {
      others.addObject().putArray("required").add(other);
    }
    return dependent;
  }

  private static Map<String, ObjectNode> words() {
    Map<String, ObjectNode> words = new TreeMap<>();
    words.put("direction", names(lowerCase(FaultDirection.values())));
    words.put("state", names(lowerCase(PacketState.values())));
    words.put("service", names(Transport.values()));
    ObjectNode opcode = JSON.createObjectNode();
    ArrayNode either = opcode.putArray("anyOf");
    either.add(names(Opcode.values()));
    either.add(number(JSON.createObjectNode(), Quantity.COUNT, 0, 0xFF));
    words.put("opcode", opcode);
    for (String number : List.of("qpn", "psn")) {
      words.put(number, number(JSON.createObjectNode(), Quantity.COUNT, 0, MOST_24));
    }
    for (String count : List.of("nth", "first", "every", "times")) {
      words.put(count, number(JSON.createObjectNode(), Quantity.COUNT, 1, Long.MAX_VALUE));
    }
    words.put("probability", value(JSON.createObjectNode(), null, 0, 1));
    words.put("after", number(JSON.createObjectNode(), Quantity.TIME, 0, Long.MAX_VALUE));
    words.put("until", number(JSON.createObjectNode(), Quantity.TIME, 1, Long.MAX_VALUE));
    return words;
  }

  /**
   * @param quantity null: a probability
   */
  private static ObjectNode value(ObjectNode schema, Quantity quantity, long least, long most) {
    return quantity == null
        ? types(schema, "number", "string")
            .put("minimum", 0)
            .put("maximum", 1)
            .put("pattern", "^(" + Quantity.PROBABILITY + ")$")
        : number(schema, quantity, least, most);
  }

  private static ObjectNode number(ObjectNode schema, Quantity quantity, long least, long most) {
    return types(schema, "integer", "string")
        .put("minimum", least)
        .put("maximum", quantity.isPlain() ? most : 0) // a time other than 0 has a unit
        .put("pattern", "^(" + texts(quantity, least, most) + ")$");
  }

  private static ObjectNode types(ObjectNode schema, String... types) {
    ArrayNode all = schema.putArray("type");
    Stream.of(types).forEach(all::add);
    return schema;
  }

  private static ObjectNode names(Enum<?>[] values) {
    return names(Stream.of(values).map(Enum::name));
  }

  private static Stream<String> lowerCase(Enum<?>... values) {
    return Stream.of(values).map(value -> value.name().toLowerCase(Locale.ROOT));
  }

  private static ObjectNode names(Stream<String> values) {
    ObjectNode schema = JSON.createObjectNode();
    values.forEach(schema.withArray("enum")::add);
    return schema;
  }

  /** What the quantity reads as a number in the range, as a regular expression. */
  private static String texts(Quantity quantity, long least, long most) {
    if (most == Long.MAX_VALUE) {
      return anyOf(quantity, least);
    }
    List<String> texts = new ArrayList<>();
    if (quantity.isPlain()) {
      texts.add(upTo(most, DECIMAL));
      texts.add("0x" + upTo(most, HEXADECIMAL));
    } else if (least <= 0) {
      texts.add(NOTHING);
    }
    for (String unit : quantity.units()) {
      long units = most / quantity.size(unit);
      if (!unit.isEmpty() && units > 0) {
        texts.add(upTo(units, DECIMAL) + unit);
      }
    }
    return positive(least) + "(" + String.join("|", texts) + ")";
  }

  /** A pattern without an upper bound: only the size of a long limits the number. */
  private static String anyOf(Quantity quantity, long least) {
    String units = String.join("|", quantity.units());
    String sign = least < 0 ? "-?" : "";
    if (!quantity.isPlain()) {
      String none = least <= 0 ? "|" + NOTHING : "";
      return positive(least) + "(" + sign + "[0-9]+(" + units + ")" + none + ")";
    }
    return positive(least) + "(" + sign + "[0-9]+(" + units + ")?|0x[0-9a-fA-F]+)";
  }

  private static String positive(long least) {
    return least > 0 ? "(?!0+[A-Za-wyz]*$|0x0+$)" : "";
  }

  /** Numbers from 0 to one. */
  private static String upTo(long most, String digits) {
    String last = Long.toString(most, digits.length());
    String any = among(digits);
    List<String> ways = new ArrayList<>();
    if (last.length() > 1) {
      ways.add(any + "{1," + (last.length() - 1) + "}");
    }
    StringBuilder before = new StringBuilder();
    for (int i = 0; i < last.length(); i++) {
      int digit = digits.indexOf(last.charAt(i));
      int behind = last.length() - i - 1;
      if (digit > 0) {
        String rest = behind == 0 ? "" : any + "{" + behind + "}";
        ways.add(before + among(digits.substring(0, digit)) + rest);
      }
      before.append(among(digits.substring(digit, digit + 1)));
    }
    return "0*(" + String.join("|", ways) + "|" + before + ")";
  }

  /** One of these digits; letters may be in either case. */
  private static String among(String digits) {
    if (digits.matches("[0-9]")) {
      return digits;
    }
    String letters = digits.replaceAll("[0-9]", "");
    int numbers = digits.length() - letters.length();
    String range = numbers > 1 ? "0-" + digits.charAt(numbers - 1) : digits.substring(0, numbers);
    return "[" + range + letters + letters.toUpperCase(Locale.ROOT) + "]";
  }
}
