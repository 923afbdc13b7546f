package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.wire.Opcode;

/** The turns that a thread takes for others, which have posted while it had the engine. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TurnsForOthersTest {
  private final PlayedDevice played = new PlayedDevice(true, 2, 1, EngineTrace.NONE);
  private final PlayedPort first = played.ports.getFirst();
  private final PlayedPort second = played.ports.getLast();
  private final EngineDriver driver = played.first();
  private final QueuePair here = PlayedDevice.connected(played.context, 0);
  private final QueuePair there = PlayedDevice.connected(played.context, 1);

  private void anotherPosts() {
    PlayedDevice.asAnother(() -> played.post(here, 1));
  }

  private static void postReceive(QueuePair qp) {
    try (RecvRequestList receives = new RecvRequestList(1, 1)) {
      assertEquals(0, qp.postRecv(receives.add()));
    }
  }

  /** It has just received by itself. */
  @Test
  void theFirstOneOnlySends() {
    first.whenAsked = this::anotherPosts;
    driver.advance();
    assertEquals(1, first.sent.get());
    assertEquals(1, first.looks.get());
  }

  @Test
  void whatTheSecondOneReceivesForANeighbourIsHandled() {
    postReceive(there);
    first.whenAsked = this::anotherPosts;
    first.whenSent =
        () -> {
          first.whenSent = () -> {};
          first.arrives(Opcode.RC_SEND_ONLY, there.qpNum(), 0, 0);
          anotherPosts();
        };
    driver.advance();
    assertEquals(2, first.looks.get());
    assertEquals(1, second.sent.get(), "the acknowledgement");
  }

  /** The neighbour is busy with the verb until its end. */
  @Test
  void whatArrivesDuringAVerbOfAllEnginesIsHandledAfterIt() {
    postReceive(there);
    AtomicInteger during = new AtomicInteger();
    first.whenSent =
        () -> {
          if (first.sent.get() < 3) {
            anotherPosts();
          }
        };
    first.arrives(Opcode.RC_SEND_ONLY, there.qpNum(), 0, 0);
    played
        .driver
        .whole()
        .exclusively(
            () -> {
              anotherPosts();
              during.set(first.looks.get());
            });
    assertEquals(0, during.get());
    assertEquals(1, second.sent.get(), "the acknowledgement");
  }
}
