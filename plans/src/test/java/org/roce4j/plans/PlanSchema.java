package org.roce4j.plans;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.roce4j.fabric.LinkModel;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.options.Quantity;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultAction.Detail;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.PacketState;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Transport;

/** The schema of plan files, made of the enumerations that hold the language. */
final class PlanSchema {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final String PROBABILITY = "^([0-9.]+%?)$";
  private static final String POSITIVE = "^(0x0*[1-9a-fA-F][0-9a-fA-F]*|0*[1-9][0-9]*)$";
  private static final String NUMBER_24 = "^(0x0*[0-9a-fA-F]{1,6}|[0-9]{1,8})$";

  private PlanSchema() {}

  /** The text of docs/fault-plan.schema.json. */
  static String text() {
    ObjectNode top = JSON.createObjectNode();
    top.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    top.put("title", "A plan of faults; docs/faults.md describes the language");
    top.put("type", "object");
    top.put("additionalProperties", false);
    ObjectNode properties = top.putObject("properties");
    properties.putObject("$schema").put("type", "string");
    properties.putObject("description").put("type", "string");
    properties.putObject("seed").put("type", "integer").put("description", "of all probabilities");
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
      value(
          options.putObject(option.key()),
          option.quantity() == null ? PROBABILITY : pattern(option.quantity()));
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
            properties.putObject(detail.text()),
            detail.quantity() == null ? PROBABILITY : pattern(detail.quantity()));
        ofDetail
            .computeIfAbsent(detail.text(), text -> JSON.createArrayNode())
            .addObject()
            .putArray("required")
            .add(kind.text());
      }
    }
    ObjectNode details = rule.putObject("dependentSchemas");
    ofDetail.forEach((detail, kinds) -> details.putObject(detail).set("anyOf", kinds));
    words().keySet().forEach(word -> properties.putObject(word).put("$ref", "#/$defs/" + word));
    return rule;
  }

  private static ObjectNode amount(Kind kind) {
    ObjectNode amount = JSON.createObjectNode();
    amount.put("description", FaultAction.of(kind).explain());
    amount.putArray("type").add("null").add("number").add("string");
    String number = kind.quantity() == null ? null : pattern(kind.quantity());
    return amount.put(
        "pattern", number == null ? PROBABILITY : number + "|^([0-9.]+%|0?\\.[0-9]+)$");
  }

  /** Of faults at the verbs, which no datagram meets. */
  private static ObjectNode rule(VerbsRule.Kind kind) {
    ObjectNode rule = JSON.createObjectNode();
    rule.put("type", "object").put("description", "a fault at the verbs");
    rule.putArray("required").add(kind.text());
    rule.put("additionalProperties", false);
    ObjectNode properties = rule.putObject("properties");
    properties.putObject(kind.text()).putArray("type").add("null").add("number").add("string");
    properties.putObject("call").put("type", "string");
    value(properties.putObject("index"), pattern(Quantity.COUNT));
    for (String word :
        List.of("qpn", "nth", "first", "every", "times", "probability", "after", "until")) {
      properties.putObject(word).put("$ref", "#/$defs/" + word);
    }
    return rule;
  }

  private static Map<String, ObjectNode> words() {
    Map<String, ObjectNode> words = new TreeMap<>();
    words.put("direction", names(FaultDirection.values(), true));
    words.put("state", names(PacketState.values(), true));
    words.put("service", names(Transport.values(), false));
    ObjectNode opcode = JSON.createObjectNode();
    ArrayNode either = opcode.putArray("anyOf");
    either.add(names(Opcode.values(), false));
    either.add(value(JSON.createObjectNode(), pattern(Quantity.COUNT)));
    words.put("opcode", opcode);
    for (String number : List.of("qpn", "psn")) {
      words.put(number, value(JSON.createObjectNode(), NUMBER_24).put("maximum", 0xFF_FFFF));
    }
    for (String count : List.of("nth", "first", "every", "times")) {
      words.put(count, value(JSON.createObjectNode(), POSITIVE).put("minimum", 1));
    }
    words.put("probability", value(JSON.createObjectNode(), PROBABILITY).put("maximum", 1));
    words.put("after", value(JSON.createObjectNode(), pattern(Quantity.TIME)));
    words.put("until", value(JSON.createObjectNode(), pattern(Quantity.TIME)));
    return words;
  }

  private static ObjectNode value(ObjectNode schema, String pattern) {
    schema.putArray("type").add("number").add("string");
    return schema.put("minimum", 0).put("pattern", pattern);
  }

  private static ObjectNode names(Enum<?>[] values, boolean lowerCase) {
    ObjectNode schema = JSON.createObjectNode();
    ArrayNode names = schema.putArray("enum");
    for (Enum<?> value : values) {
      names.add(lowerCase ? value.name().toLowerCase(Locale.ROOT) : value.name());
    }
    return schema;
  }

  private static String pattern(Quantity quantity) {
    return switch (quantity) {
      case COUNT -> "^(0x[0-9a-fA-F]+|[0-9]+)$";
      case TIME -> "^[0-9]+(ns|us|ms|s)?$";
      case SIZE -> "^[0-9]+(KiB|MiB|GiB|k|M|G)?$";
      case RATE -> "^[0-9]+(k|M|G)?$";
    };
  }
}
