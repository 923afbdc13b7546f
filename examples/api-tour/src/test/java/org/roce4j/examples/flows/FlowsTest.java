package org.roce4j.examples.flows;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.RdmaDevice;

/** Each flow prints what docs/flows.md says, on every port. */
@DisabledOnOs(OS.WINDOWS)
class FlowsTest {
  private static final Path DOCUMENT = Path.of("../../docs/flows.md");

  @Nested
  @EmulatedRdma
  class OnTheFabric extends Contract {}

  @Nested
  @EmulatedRdma(transport = "linux")
  class OnPortLinux extends Contract {}

  @Nested
  @EmulatedRdma(transport = "netty")
  class OnPortNetty extends Contract {}

  @Timeout(60)
  abstract static class Contract {
    @ParameterizedTest
    @EnumSource(Flows.class)
    void printsWhatTheDocumentSays(Flows flow, List<RdmaDevice> devices) throws IOException {
      assertEquals(documented(flow), row(flow, printed(flow, devices)));
    }
  }

  private static String printed(Flows flow, List<RdmaDevice> devices) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    assertDoesNotThrow(() -> flow.program.run(devices, out));
    return bytes
        .toString(StandardCharsets.UTF_8)
        .lines()
        .map(line -> "`" + line + "`")
        .collect(Collectors.joining("<br>"));
  }

  private static String row(Flows flow, String printed) {
    return "| %s | %s | `%s` | %s |".formatted(flow.number, flow.title, flow.label(), printed);
  }

  private static String documented(Flows flow) throws IOException {
    String name = "| `" + flow.label() + "` |";
    return Files.readAllLines(DOCUMENT).stream()
        .filter(line -> line.contains(name))
        .collect(Collectors.joining("\n"));
  }
}
