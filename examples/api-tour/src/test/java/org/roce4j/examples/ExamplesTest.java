package org.roce4j.examples;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

/** The programs print what the tour says, on every port. */
class ExamplesTest {
  @Nested
  @EmulatedRdma
  class OnTheFabric extends Examples {}

  @Nested
  @EmulatedRdma(faults = "loss=1%")
  class OnTheFabricWithLoss extends ReliableExamples {}

  @Nested
  @EmulatedRdma(faults = "loss=5%")
  class OnTheFabricWithMoreLoss extends ReliableExamples {}

  @Nested
  @EmulatedRdma(transport = "linux")
  class OnPortLinux extends Examples {}

  @Nested
  @EmulatedRdma(transport = "netty")
  class OnPortNetty extends Examples {}

  @Test
  void anAdapterWithTwoPorts() {
    assertEquals(Tour.printed("PortsExample"), ReliableExamples.printed(PortsExample::run));
  }

  @Timeout(60)
  abstract static class ReliableExamples {
    @Test
    void theFourOperationsOfAReliableConnection(Context first, Context second) {
      assertEquals(
          Tour.printed("ReliableConnectionExample"),
          printed(out -> ReliableConnectionExample.run(first, second, out)));
    }

    @Test
    void aClientAndAServerThatMeetByAddressAndPort(Context first, Context second) {
      assertEquals(
          Tour.printed("ConnectionManagerExample"),
          printed(out -> ConnectionManagerExample.run(first, second, out)));
    }

    @Test
    void bothSidesOfAConnectionByEvents(Context first, Context second) {
      assertEquals(
          Tour.printed("ConnectionEventsExample"),
          printed(out -> ConnectionEventsExample.run(first, second, out)));
    }

    @Test
    void oneConnectionForManyReceivers(Context first, Context second) {
      assertEquals(
          Tour.printed("ExtendedConnectionExample"),
          printed(out -> ExtendedConnectionExample.run(first, second, out)));
    }

    @Test
    void aJournalThatIsFlushedOnAnotherMachine(Context first, Context second) {
      assertEquals(
          Tour.printed("FlushExample"), printed(out -> FlushExample.run(first, second, out)));
    }

    @Test
    void aProgramThatMeetsFaultsAtTheVerbs(Context first, Context second) {
      assertEquals(
          Tour.printed("FaultsExample"), printed(out -> FaultsExample.run(first, second, out)));
    }

    @ParameterizedTest
    @MethodSource("runs")
    void aServerWithAThreadForEachClient(int run, Context first, Context second) {
      assertEquals(
          Tour.printed("ThreadsExample"),
          printed(out -> assertDoesNotThrow(() -> ThreadsExample.run(first, second, out))));
    }

    /** How often programs with several threads run; more in the night. */
    static IntStream runs() {
      return IntStream.rangeClosed(1, Integer.getInteger("roce4j.threads.runs", 4));
    }

    static String printed(Consumer<PrintStream> program) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      program.accept(new PrintStream(bytes, true, StandardCharsets.UTF_8));
      return bytes.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }
  }

  /** The examples that fail if the last acknowledgement before a close is lost. */
  abstract static class Examples extends ReliableExamples {
    @Test
    void twoProgramsThatFindEachOtherByAPort(Context first, Context second) {
      assertEquals(
          Tour.printed("MessagesExample"),
          printed(out -> assertDoesNotThrow(() -> MessagesExample.run(first, second, out))));
    }

    @Test
    void aDatagramToAGroupOfTheConnectionManager(Context first, Context second) {
      InetAddress group =
          InetAddress.ofLiteral("239.4." + ProcessHandle.current().pid() % 256 + ".92");
      assertEquals(
          Tour.printed("GroupExample"),
          printed(out -> GroupExample.run(first, second, group, out)));
    }

    @Test
    void aDatagramToAGroupAndTheAnswers(Context first, Context second) {
      Gid group = Gid.parse("239.4." + ProcessHandle.current().pid() % 256 + ".91");
      assertEquals(
          Tour.printed("MulticastExample"),
          printed(out -> MulticastExample.run(first, second, group, out)));
    }
  }
}
