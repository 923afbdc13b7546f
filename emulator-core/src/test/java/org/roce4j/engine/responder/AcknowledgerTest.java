package org.roce4j.engine.responder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Transport;

/** The one acknowledgement for everything that arrived between two turns. */
class AcknowledgerTest {
  private static final int RNR_TIMER = 9;
  private static final int MSN = 10;

  private final Counters counters = new Counters();
  private final ReceiveSide side = AnswerRingTest.side(counters);
  private final Acknowledger acknowledger =
      new Acknowledger(side, new AnswerWriter(side.peer(), Transport.RC));

  /** The expected PSN. */
  private long expected = 5;

  private void happens(String event) {
    switch (event) {
      case "send" -> {
        acknowledger.acknowledge(expected, MSN);
        acknowledger.inSequence(++expected);
      }
      case "silent send" -> acknowledger.inSequence(++expected);
      case "duplicate" -> acknowledger.acknowledgeAgain(expected - 2, MSN);
      case "not ready" -> acknowledger.receiverNotReady(expected, MSN);
      case "fatal" -> acknowledger.fatal(expected, Aeth.NAK_REMOTE_ACCESS, MSN);
      case "turn" -> turn();
      default -> {
        String[] words = event.split(" ");
        long psn = Long.parseLong(words[1]);
        if (words[0].equals("gap")) {
          acknowledger.outOfSequence(psn);
        } else {
          acknowledger.answered(psn);
        }
      }
    }
  }

  /** The packet that a turn sends: its name and PSN, or "nothing". */
  private String turn() {
    Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), 8);
    boolean pending = acknowledger.pending();
    assertTrue(acknowledger.transmit(train, expected, MSN));
    assertFalse(acknowledger.pending());
    assertEquals(pending ? 1 : 0, train.segments());
    if (train.isEmpty()) {
      return "nothing";
    }
    InboundPacket packet = new InboundPacket();
    packet.decode(train.buffer(), 0, train.length());
    int syndrome = packet.syndrome();
    String name =
        Aeth.isAck(syndrome)
            ? "ACK"
            : syndrome == Aeth.rnrNak(RNR_TIMER)
                ? "RNR"
                : syndrome == Aeth.NAK_SEQUENCE ? "SEQUENCE" : "FATAL";
    assertEquals(MSN, packet.msn());
    return name + " " + packet.psn();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "'', nothing",
    "silent send, nothing",
    "send, ACK 5",
    "'send, send', ACK 6",
    "duplicate, ACK 3",
    "'duplicate, send', ACK 5",
    "gap 7, SEQUENCE 5",
    "'send, gap 8', SEQUENCE 6",
    "'gap 7, turn, gap 8', nothing",
    "'gap 7, turn, silent send, gap 8', SEQUENCE 6",
    "'gap 7, silent send, silent send', SEQUENCE 7",
    "'gap 7, silent send, silent send, silent send', nothing",
    "'gap 7, gap 6, silent send, silent send', SEQUENCE 7",
    "'gap 6, gap 7, silent send, silent send', SEQUENCE 7",
    "'gap 9, turn, silent send, gap 7, silent send, silent send', nothing",
    "'gap 7, silent send, silent send, turn, gap 9', nothing",
    "not ready, RNR 5",
    "'not ready, send', ACK 5",
    "'not ready, silent send', nothing",
    "'not ready, gap 6', RNR 5",
    "'not ready, turn, gap 6', nothing",
    "'not ready, turn, silent send, gap 7', SEQUENCE 6",
    "'gap 7, not ready', RNR 5",
    "'gap 7, not ready, silent send', nothing",
    "'send, not ready', RNR 6",
    "'send, fatal', FATAL 6",
    "'not ready, fatal', FATAL 5",
    "'gap 7, fatal', FATAL 5",
    "'fatal, turn', nothing",
    "'send, answered 4', ACK 5",
    "'send, answered 6', nothing",
    "'duplicate, answered 6', ACK 3"
  })
  void stands(String events, String sent) {
    acknowledger.minRnrTimer(RNR_TIMER);
    for (String event : events.split(", ")) {
      if (!event.isEmpty()) {
        happens(event);
      }
    }
    assertEquals(sent, turn());
  }

  @Test
  void isOnlyAnAckIfNothingElseIsDue() {
    assertFalse(acknowledger.onlyAcknowledges());
    happens("send");
    assertTrue(acknowledger.onlyAcknowledges());
    happens("duplicate");
    assertFalse(acknowledger.onlyAcknowledges());
  }

  @Test
  void anAckWaitsForEightFurtherRequests() {
    for (int round = 0; round < 2; round++) {
      for (int requests = 0; requests <= 8; requests++) {
        assertTrue(requests == 0 || acknowledger.canWait(), requests + " requests");
        happens("send");
      }
      assertFalse(acknowledger.canWait());
      assertEquals(8 * (round + 1), counters.get(Counter.ACK_DEFERRED));
      turn();
    }
  }

  @Test
  void whatDoesNotFitStaysDue() {
    happens("send");
    Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), 1);
    train.claim(null, 0, 16);
    train.commit(16);
    assertFalse(acknowledger.transmit(train, expected, MSN));
    assertEquals(0, counters.get(Counter.SENT_ACKS));
    assertEquals("ACK 5", turn());
    assertEquals(1, counters.get(Counter.SENT_ACKS));
  }

  @Test
  void aRestartForgetsWhatWasDueAndWhatWasTold() {
    happens("gap 9");
    acknowledger.clear();
    assertEquals("nothing", turn());
    happens("gap 7");
    assertEquals("SEQUENCE 5", turn());
  }
}
