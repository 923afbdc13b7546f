package org.roce4j.plans;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.Faults;
import org.roce4j.fabric.LinkModel;
import org.roce4j.options.Quantity;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.verbs.VerbsException;

/** The published schema is that of the language, and takes what the reader takes. */
class PlanSchemaTest {
  private static final Path PUBLISHED = Path.of("../docs/fault-plan.schema.json");
  private static final Path EXAMPLES = Path.of("../examples/faults");
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(PlanSchema.text());

  @TempDir private Path directory;

  private static Set<?> complaints(String plan) throws IOException {
    JsonNode tree = YAML.readTree(plan);
    return SCHEMA.validate(tree);
  }

  private Faults read(String plan) throws IOException {
    Path file = Files.writeString(directory.resolve("plan.yaml"), plan);
    return Faults.parse(file.toString());
  }

  @Test
  void itIsPublished() throws IOException {
    Path written = Path.of("target/fault-plan.schema.json");
    Files.createDirectories(written.getParent());
    Files.writeString(written, PlanSchema.text());
    assertEquals(
        Files.readString(PUBLISHED), PlanSchema.text(), "copy " + written + " to " + PUBLISHED);
  }

  @Test
  void theDocumentShowsTheExamples() throws IOException {
    String document = Files.readString(Path.of("../docs/faults.md"));
    for (String example : List.of("lost-last.yaml", "verbs.yaml")) {
      assertTrue(document.contains(Files.readString(EXAMPLES.resolve(example))), example);
    }
  }

  @Test
  void examplesKeepIt() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      List<Path> plans = files.filter(file -> file.toString().endsWith(".yaml")).toList();
      assertFalse(plans.isEmpty());
      for (Path plan : plans) {
        assertEquals(Set.of(), complaints(Files.readString(plan)), plan.toString());
        Faults.parse(plan.toString());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void eachFaultIsKnownToBoth(Kind kind) throws IOException {
    String plan = "rules:\n  - " + kind.text() + ":\n    direction: out\n    nth: 3\n";
    assertEquals(Set.of(), complaints(plan));
    assertEquals(1, read(plan).packets().size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rules:\n  - drop:\n    qpn: 0xffffff\n    psn: '0x00ffffff'\n    times: 1",
        "rules:\n  - delay: 1ms\n    jitter: 1us\n    duplicate:\n    probability: 1",
      })
  void bothTake(String plan) throws IOException {
    assertEquals(Set.of(), complaints(plan));
    assertFalse(read(plan).packets().isEmpty());
  }

  @ParameterizedTest
  @EnumSource(LinkModel.Option.class)
  void eachOptionOfALinkIsKnownToBoth(LinkModel.Option option) throws IOException {
    String one = option.quantity() == Quantity.TIME ? "1ns" : "1";
    String plan = "links:\n  " + option.key() + ": " + one + "\n";
    assertEquals(Set.of(), complaints(plan));
    assertEquals(LinkModel.parse(option.key() + "=" + one), read(plan).links());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "links: []",
        "links:\n  lose: 1%",
        "links:\n  delay: soon",
        "links:\n  delay: 50",
        "links:\n  delay: '0x32'",
        "rules:\n  - delay: 50",
        "rules:\n  - delay: 1ms\n    jitter: 50",
        "rules:\n  - drop:\n    after: 50",
        "rules:\n  - drop:\n    until: '50'",
        "rule: []",
        "rules: drop",
        "rules:\n  - direction: out",
        "rules:\n  - drop:\n    jitter: 1ms",
        "rules:\n  - delay: soon",
        "rules:\n  - drop:\n    opcode: RC_SEND_MOST",
        "rules:\n  - drop:\n    nth: often",
        "rules:\n  - [drop]",
        "rules:\n  - drop:\n    nth: 0",
        "rules:\n  - drop:\n    times: '0x0'",
        "rules:\n  - drop:\n    qpn: 0x1000000",
        "rules:\n  - drop:\n    psn: -1",
        "rules:\n  - drop:\n    probability: 1.5",
        "rules:\n  - drop:\n    until: -1",
        "seed: many",
      })
  void bothRefuse(String plan) throws IOException {
    assertFalse(complaints(plan).isEmpty());
    assertThrows(VerbsException.class, () -> read(plan));
  }
}
