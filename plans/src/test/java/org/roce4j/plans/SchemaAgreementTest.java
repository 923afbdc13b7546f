package org.roce4j.plans;

import static java.util.stream.Collectors.toMap;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.emulator.Faults;
import org.roce4j.fabric.LinkModel;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.port.fault.FaultAction.Detail;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.VerbsException;

/**
 * Random plans, half of them wrong somewhere: the schema takes one if and only if the reader does.
 * Names are written as the schema lists them; the reader takes them in any case. The reader wants
 * the fault first, and sees contradictions between values, which no schema can say.
 */
class SchemaAgreementTest {
  private static final int PLANS = 3_000;

  /** The refusals of values that are valid each by itself, but not together. */
  private static final String CONTRADICTION =
      "(?s).*(nothing comes between|no datagram has|is there already).*";

  private static final List<String> FAULTS =
      Stream.of(
              Stream.of(Kind.values()).map(Kind::text),
              Stream.of(VerbsRule.Kind.values()).map(VerbsRule.Kind::text),
              Stream.of("loss"))
          .flatMap(names -> names)
          .toList();

  private static final List<String> WORDS =
      Stream.concat(
              Stream.of(Detail.values()).map(Detail::text).filter(name -> !name.equals("loss")),
              Stream.of(
                  ("direction service opcode qpn psn state nth first every times probability after"
                          + " until call index colour")
                      .split(" ")))
          .toList();

  private static final List<?> VALUES =
      Arrays.asList(
          null,
          true,
          "",
          0,
          1,
          2,
          5,
          31,
          32,
          33,
          255,
          256,
          1000,
          1001,
          100_000,
          100_001,
          -1,
          0.5,
          0.01,
          1.5,
          0xFF_FFFF,
          0x100_0000,
          10_000_000_000L,
          10_000_000_001L,
          "0",
          "00",
          "1",
          "07",
          "0x11",
          "0x0",
          "0xG",
          "0xffffff",
          "0xFFFFFE",
          "0x1000000",
          "16777215",
          "16777216",
          "1%",
          "50%",
          "100%",
          "101%",
          "100.5%",
          ".5",
          "0.5",
          "1.0",
          "1.5",
          "1.2.3",
          "5.0E-5",
          "1e3",
          "1e-3%",
          "1ms",
          "5us",
          "10ns",
          "0s",
          "10s",
          "11s",
          "10000ms",
          "10001ms",
          "1h",
          "1G",
          "1000G",
          "1001G",
          "10k",
          "64KiB",
          "64K",
          "1GiB",
          "2GiB",
          "1M",
          "banana",
          "ENOMEM",
          "RETRY_EXC_ERR",
          "SUCCESS",
          "PORT_ERR",
          "CQ_ERR",
          "out",
          "in",
          "new",
          "repeated",
          "RC",
          "UD",
          "RC_SEND_ONLY",
          "UD_SEND_ONLY",
          "registerMemory",
          "postSend",
          "poll",
          "-5",
          "+5",
          "\u0665",
          " 1",
          List.of(),
          Map.of());

  /** One of each kind of object. */
  private static final Collection<String> EVENTS =
      Stream.of(EventType.values())
          .collect(toMap(EventType::target, EventType::name, (first, later) -> first))
          .values();

  /** Of faults that need one. */
  private static final Map<VerbsRule.Kind, Collection<?>> VERBS_VALUES =
      Map.of(
          VerbsRule.Kind.REFUSE, List.of("EIO"),
          VerbsRule.Kind.LATE, List.of("1ms"),
          VerbsRule.Kind.FAIL, List.of("RETRY_EXC_ERR"),
          VerbsRule.Kind.EVENT, EVENTS,
          VerbsRule.Kind.LOSE_EVENT, EVENTS);

  private static final List<List<String>> OBJECT_WORDS =
      List.of(List.of(), List.of("qpn"), List.of("index"));

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(PlanSchema.text());

  @TempDir private Path directory;

  @Test
  void bothTakeThePlanOrNeither() throws IOException {
    Random random = new Random(21);
    int taken = 0;
    for (int i = 0; i < PLANS; i++) {
      taken += bothTakeOrRefuse(plan(random)) ? 1 : 0;
    }
    assertTrue(taken > PLANS / 10, "too few are right: " + taken);
  }

  private boolean bothTakeOrRefuse(Map<String, Object> values) throws IOException {
    String plan = JSON.writeValueAsString(values);
    Path file = Files.writeString(directory.resolve("plan.json"), plan);
    boolean fits = SCHEMA.validate(JSON.readTree(plan)).isEmpty();
    String refusal = refusal(file);
    if (refusal.isEmpty()) {
      assertTrue(fits, () -> "the reader takes it, the schema does not: " + plan);
    } else if (!refusal.matches(CONTRADICTION)) {
      assertFalse(fits, () -> "the schema takes it: " + plan + "; the reader says " + refusal);
      assertTrue(refusal.matches("(?s).*plan\\.json:1:\\d+: .*"), refusal);
    }
    return refusal.isEmpty();
  }

  /** Each fault at the verbs with each call, each event, and the words that name an object. */
  @Test
  void bothTakeTheSameFaultsAtTheVerbs() throws IOException {
    for (VerbsRule.Kind kind : VerbsRule.Kind.values()) {
      List<String> calls = new ArrayList<>(List.of("", "poll"));
      if (kind.meansCalls()) {
        calls.addAll(VerbsRule.calls());
      }
      for (Object value : VERBS_VALUES.getOrDefault(kind, List.of(""))) {
        for (String call : calls) {
          for (List<String> words : OBJECT_WORDS) {
            Map<String, Object> rule = new LinkedHashMap<>(Map.of(kind.text(), value));
            words.forEach(word -> rule.put(word, 0));
            if (!call.isEmpty()) {
              rule.put("call", call);
            }
            bothTakeOrRefuse(Map.of("rules", List.of(rule)));
          }
        }
      }
    }
  }

  private static String refusal(Path file) {
    try {
      Faults read = Faults.parse(file.toString());
      assertTrue(Faults.parse(read.toString()).equals(read), read::toString);
      return "";
    } catch (VerbsException e) {
      return e.remedy();
    }
  }

  private static Map<String, Object> plan(Random random) {
    Map<String, Object> plan = new LinkedHashMap<>();
    switch (random.nextInt(8)) {
      case 0 -> plan.put("seed", one(VALUES, random));
      case 1 -> {
        String option = one(List.of(LinkModel.Option.values()), random).key();
        plan.put("links", Collections.singletonMap(option, one(VALUES, random)));
      }
      default -> plan.put("rules", List.of(rule(random)));
    }
    return plan;
  }

  /** A fault, usually with its own default, and up to two words. */
  private static Map<String, Object> rule(Random random) {
    Map<String, Object> rule = new LinkedHashMap<>();
    rule.put(one(FAULTS, random), random.nextInt(3) == 0 ? null : one(VALUES, random));
    for (int words = random.nextInt(3); words > 0; words--) {
      rule.put(one(WORDS, random), one(VALUES, random));
    }
    return rule;
  }

  private static <T> T one(List<T> of, Random random) {
    return of.get(random.nextInt(of.size()));
  }
}
