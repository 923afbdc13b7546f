package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.side.Role;
import org.roce4j.verbs.Mtu;

class PayloadCheckTest {
  private static final int ITERATIONS = 5;
  private static final PingPongPlan PLAN =
      new PingPongPlan(ITERATIONS, 0, Mtu.MTU_1024, false, 1, 14);

  @ParameterizedTest
  @CsvSource({"CLIENT,1", "CLIENT,10000", "SERVER,1", "SERVER,10000"})
  void knowsAnotherRoce4jByItsFirstMessage(Role own, int size) {
    PayloadCheck check =
        new PayloadCheck(own, PingPongService.RC, PLAN, PayloadCheck.PeerProgram.UNKNOWN);
    PayloadPattern peer = new PayloadPattern(own.other(), ITERATIONS, false);
    for (int number = 0; number < ITERATIONS; number++) {
      check.check(number, message(peer, number, size));
    }
    assertEquals(PayloadCheck.PeerProgram.ROCE4J, check.peer());
    assertEquals((long) ITERATIONS * size, check.verifiedBytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10_000})
  void aClientKnowsTheCServerByItsEcho(int size) {
    PayloadCheck check =
        new PayloadCheck(Role.CLIENT, PingPongService.RC, PLAN, PayloadCheck.PeerProgram.UNKNOWN);
    for (int number = 0; number < ITERATIONS; number++) {
      check.check(number, message(check.ours(), number, size));
    }
    assertEquals(PayloadCheck.PeerProgram.C_PROGRAM, check.peer());
    assertEquals((long) ITERATIONS * size, check.verifiedBytes());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aServerKnowsTheCClientByItsFreshBufferAndThenExpectsItsOwnAnswers(boolean validating) {
    PayloadCheck check =
        new PayloadCheck(Role.SERVER, PingPongService.RC, PLAN, PayloadCheck.PeerProgram.UNKNOWN);
    MemorySegment fresh = MemorySegment.ofArray(new byte[10_000]);
    fresh.fill((byte) 0x7b);
    for (int page = 0; validating && page < 10_000; page += 4096) {
      fresh.set(ValueLayout.JAVA_BYTE, page, (byte) 0);
    }
    check.check(0, fresh);
    for (int number = 1; number < ITERATIONS; number++) {
      check.check(number, message(check.ours(), number - 1, 10_000));
    }
    assertEquals(PayloadCheck.PeerProgram.C_PROGRAM, check.peer());
    assertEquals(ITERATIONS * 10_000L, check.verifiedBytes());

    ToolFailure stale =
        assertThrows(ToolFailure.class, () -> check.check(3, message(check.ours(), 1, 10_000)));
    assertTrue(
        stale.getMessage().startsWith("data error: byte 0 of message 4 that the server received"),
        stale.getMessage());
  }

  @Test
  void namesTheWrongByte() {
    PayloadCheck check =
        new PayloadCheck(Role.CLIENT, PingPongService.RC, PLAN, PayloadCheck.PeerProgram.ROCE4J);
    PayloadPattern peer = new PayloadPattern(Role.SERVER, ITERATIONS, false);
    MemorySegment message = message(peer, 2, 100);
    byte right = peer.at(2, 42);
    message.set(ValueLayout.JAVA_BYTE, 42, (byte) ~right);

    ToolFailure failure = assertThrows(ToolFailure.class, () -> check.check(2, message));

    assertEquals(
        "data error: byte 42 of message 3 that the client received is 0x%02x, not 0x%02x"
            .formatted((byte) ~right, right),
        failure.getMessage());
    assertEquals(0, check.verifiedBytes());
  }

  /** The last message of a validating C program begins each page with 0. */
  @ParameterizedTest
  @CsvSource({"SERVER, 0, true", "SERVER, 4096, true", "SERVER, 42, false", "CLIENT, 4096, false"})
  void onlyAZeroWhereAPageBeginsMayBeADifferentNumberOfMessages(Role own, int at, boolean hinted) {
    PayloadCheck check =
        new PayloadCheck(own, PingPongService.RC, PLAN, PayloadCheck.PeerProgram.ROCE4J);
    MemorySegment message = message(new PayloadPattern(own.other(), ITERATIONS, false), 2, 10_000);
    message.set(ValueLayout.JAVA_BYTE, at, (byte) 0);
    ToolFailure failure = assertThrows(ToolFailure.class, () -> check.check(2, message));
    assertEquals(hinted, failure.getMessage().contains("--iters"), failure.getMessage());
  }

  @Test
  void refusesAFirstMessageOfNeitherKind() {
    PayloadCheck check =
        new PayloadCheck(Role.SERVER, PingPongService.RC, PLAN, PayloadCheck.PeerProgram.UNKNOWN);
    ToolFailure failure =
        assertThrows(
            ToolFailure.class, () -> check.check(0, MemorySegment.ofArray(new byte[5000])));
    assertTrue(failure.getMessage().contains("neither"), failure.getMessage());
  }

  private static MemorySegment message(PayloadPattern pattern, int number, int size) {
    MemorySegment message = MemorySegment.ofArray(new byte[size]);
    pattern.fill(number, message);
    return message;
  }
}
