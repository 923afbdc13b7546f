package org.roce4j.examples;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

/** The programs print what the tour says, on every port. */
class ExamplesTest {
  @Nested
  @EmulatedRdma
  class OnTheFabric extends Examples {}

  @Nested
  @EmulatedRdma(transport = "linux")
  class OnPortLinux extends ThreadedExamples {}

  @Nested
  @EmulatedRdma(transport = "netty")
  class OnPortNetty extends ThreadedExamples {}

  @Timeout(60)
  abstract static class Examples {
    @Test
    void theFourOperationsOfAReliableConnection(Context first, Context second) {
      assertEquals(
          Tour.printed("ReliableConnectionExample"),
          printed(out -> ReliableConnectionExample.run(first, second, out)));
    }

    @Test
    void aDatagramToAGroupAndTheAnswers(Context first, Context second) {
      Gid group = Gid.parse("239.4." + ProcessHandle.current().pid() % 256 + ".91");
      assertEquals(
          Tour.printed("MulticastExample"),
          printed(out -> MulticastExample.run(first, second, group, out)));
    }

    static String printed(Consumer<PrintStream> program) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      program.accept(new PrintStream(bytes, true, StandardCharsets.UTF_8));
      return bytes.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }
  }

  abstract static class ThreadedExamples extends Examples {
    @Test
    void twoProgramsThatFindEachOtherByAPort(Context first, Context second) {
      assertEquals(
          Tour.printed("MessagesExample"),
          printed(out -> assertDoesNotThrow(() -> MessagesExample.run(first, second, out))));
    }
  }
}
