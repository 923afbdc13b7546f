package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.device.Device;
import org.roce4j.device.GidTable;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.memory.Domain;
import org.roce4j.engine.memory.KeyTable;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.engine.qp.QpParts;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.engine.responder.ReceiveSource;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;

/**
 * A request has left its queue before its completion can be polled: a thread that polls it while
 * another runs the engine may post the next request at once. The ring's listener stands for that
 * thread, because it is called at the first moment at which the completion is visible.
 */
@Holds(Rule.COMPLETION_ORDER)
class RequestRoomDialogueTest {
  private static final int REQUESTS = 2;

  private final SendQueue sends = new SendQueue(REQUESTS, 1, 0);
  private final ReceiveQueue receives = new ReceiveQueue(REQUESTS, 1);
  private final List<Integer> waitingSends = new ArrayList<>();
  private final List<Integer> waitingReceives = new ArrayList<>();
  private final CompletionRing sent = ring(sends::size, waitingSends);
  private final CompletionRing received = ring(receives::size, waitingReceives);

  private static CompletionRing ring(IntSupplier size, List<Integer> seen) {
    CompletionRing[] itself = new CompletionRing[1];
    itself[0] =
        new CompletionRing(
            2 * REQUESTS,
            new CompletionRing.RingListener() {
              @Override
              public void completionEvent(int qpNum) {
                seen.add(size.getAsInt());
                itself[0].arm(false);
              }

              @Override
              public void overflow(int qpNum, boolean first) {}
            });
    itself[0].arm(false);
    return itself[0];
  }

  private QpMachine inInit() {
    Device device =
        new Device(
            null,
            DeviceLimits.DEFAULT,
            new GidTable(List.of(Gid.parse("10.0.0.1")), 0),
            Mtu.MTU_1024,
            new SplittableRandom(1),
            EngineTrace.NONE);
    Domain domain = new Domain();
    QpMachine qp =
        new QpMachine(
            device.engine(0),
            new QpParts(
                event -> {},
                17,
                QpType.RC,
                sends,
                new Own(receives, domain),
                1,
                sent,
                received,
                new KeyTable(new SplittableRandom(1), 4, 4),
                domain,
                true,
                null));
    QpAttr init = new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0);
    qp.modify(init, init.mask());
    return qp;
  }

  @Test
  @DisplayName("a flushed request makes room before its completion is there, sent or to receive")
  void aFlushedRequestHasLeftItsQueue() {
    QpMachine qp = inInit();
    for (int i = 0; i < REQUESTS; i++) {
      assertTrue(sends.claim() >= 0);
      sends.filled();
      assertTrue(receives.claim() >= 0);
      receives.filled();
    }
    sends.publish();
    receives.publish();
    QpAttr error = new QpAttr().qpState(QpState.ERR);
    qp.modify(error, error.mask());
    assertEquals(List.of(1, 0), waitingSends);
    assertEquals(List.of(1, 0), waitingReceives);
  }

  private record Own(ReceiveQueue queue, Domain domain) implements ReceiveSource {
    @Override
    public boolean shared() {
      return false;
    }
  }
}
