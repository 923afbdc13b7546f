package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.wire.Opcode;

/** Whether an acknowledgement leaves with the reply or later depends on how a thread polls. */
class AcknowledgingTurnsTest {
  @AutoClose private final Arena arena = Arena.ofShared();
  private final PlayedDevice played = new PlayedDevice(true, 1, 8, EngineTrace.NONE);
  private final PlayedPort port = played.port();
  private final QueuePair qp = PlayedDevice.connected(played.context, 0);
  private final RecvRequestList receives = new RecvRequestList(arena, 1, 1).add();

  @BeforeEach
  void receiving() {
    for (int i = 0; i < 4; i++) {
      assertEquals(0, qp.postRecv(receives));
    }
    played.first().doorbell();
  }

  /**
   * Polls as often, the last time with a request, and replies; returns the packets of the reply.
   */
  private int reply(int polls, int psn) {
    for (int poll = 1; poll < polls; poll++) {
      played.first().advance();
    }
    port.arrives(Opcode.RC_SEND_ONLY, qp.qpNum(), psn, 0);
    return pollAndReply();
  }

  private int pollAndReply() {
    played.first().advance();
    int before = port.sent.get();
    played.post(qp, 1);
    return port.sent.get() - before;
  }

  /** A thread that polls only when a message is there may not come back soon. */
  @ParameterizedTest
  @CsvSource({"1, 2", "2, 1", "3, 1"})
  void theAcknowledgementWaitsForAThreadThatPollsMoreThanOnce(int polls, int packets) {
    assertEquals(packets, reply(polls, 0));
  }

  /** The turn that sends an acknowledgement behind a reply takes so long that the peer answers. */
  @Test
  void theTurnOfAnAcknowledgementIsMoreThanOnePoll() {
    for (int psn = 0; psn < 9; psn++) {
      assertEquals(1, reply(2, psn));
      assertEquals(0, qp.postRecv(receives));
    }
    int before = port.sent.get();
    port.whenSent =
        () -> {
          port.whenSent = () -> {};
          port.arrives(Opcode.RC_SEND_ONLY, qp.qpNum(), 9, 0);
        };
    assertEquals(1, pollAndReply());
    assertEquals(before + 2, port.sent.get(), "the acknowledgement, which no longer waits");
  }
}
