package org.roce4j.simulation;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.WrOpcode;

/**
 * Which messages that arrived whole must be received, and in which order. A message is written as
 * the letter of its sender and a number; {@code ?} marks a message that may have found no receive
 * request; a dot lets time pass.
 */
class ArrivalsTest implements Arrivals.Receives {
  private static final Gid HERE = Gid.parse("10.0.0.1");

  @AutoClose private final Fabric fabric = new Fabric(FabricOptions.of(1));
  private int claimed;

  @Override
  public void claim(int requests) {
    claimed += requests;
  }

  @Override
  public boolean surelyFree() {
    return true;
  }

  private static PostedSend message(String word) {
    PostedSend message =
        new PostedSend(word.charAt(1) - '0', WrOpcode.SEND, true, RandomPayload.NOTHING);
    Gid from = Gid.parse("10.0.1." + (int) word.charAt(0));
    message.datagram = new Datagram(from, 1, HERE, 0, true);
    return message;
  }

  private void run(boolean severalEngines, String arrived, String received) {
    Arrivals arrivals = new Arrivals(new Agenda(fabric), severalEngines, this);
    for (String word : arrived.split(" ")) {
      if (word.equals(".")) {
        fabric.run(1);
      } else if (!word.isEmpty()) {
        arrivals.arrived(message(word), !word.endsWith("?"));
      }
    }
    for (String number : received.split(" ")) {
      if (!number.isEmpty()) {
        long wrId = Long.parseLong(number);
        arrivals.received("end", number, message -> message.wrId == wrId);
      }
    }
    arrivals.checkAtEnd("end");
  }

  @ParameterizedTest
  @CsvSource({
    "false, a1 b2, 1 2",
    "false, a1? a2, 2",
    "false, a1 a2?, 1",
    "false, a1?, ''",
    "false, a1? . a2? a3, 3",
    "false, a1? a1, 1",
    "true, a1 b2, 2 1",
    "true, a1 b2?, 1",
    "true, a1 b2?, 2"
  })
  void thisMayBe(boolean severalEngines, String arrived, String received) {
    assertDoesNotThrow(() -> run(severalEngines, arrived, received));
  }

  @ParameterizedTest
  @CsvSource({
    "false, a1, ''",
    "false, a1 a2, 1",
    "false, a1 b2, 2 1",
    "false, a1, 1 1",
    "false, '', 1",
    "false, a1? a2, 2 1",
    "false, a1 a2?, 2",
    "true, a1 a2, 2 1",
    "true, a1 . b2, 2 1",
    "true, a1 b2, 1"
  })
  void thisIsBlamed(boolean severalEngines, String arrived, String received) {
    RuleBroken broken =
        assertThrows(RuleBroken.class, () -> run(severalEngines, arrived, received));
    assertEquals(OracleRule.WHOLE_OR_NOT_AT_ALL, broken.rule());
  }

  @ParameterizedTest
  @CsvSource({"a1 a2, '1 2', 0", "a1? a2, 2, 0", "a1? a2 a3, 2, 1", "a1? a1? a2, 1, 2"})
  void aMessageClaimsARequestUntilItIsAccountedFor(String arrived, String received, int left) {
    try {
      run(false, arrived, received);
    } catch (RuleBroken more) {
      // Not everything was received: the messages left over claim requests.
    }
    assertEquals(left, claimed);
  }
}
