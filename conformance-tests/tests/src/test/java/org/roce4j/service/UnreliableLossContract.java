package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.junit.Completion;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WcStatus;

/** UC with a path MTU of 1024 bytes; the left device's fifth packet is lost. */
@Timeout(60)
abstract class UnreliableLossContract {
  static final String FAULTS = "drop direction=out nth=5";

  /** The lost packet is the first, a middle or the last one of its message of three. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 2})
  void nothingMoreIsLostThanTheTornMessage(int packetsOfTheFirst, Context first, Context second) {
    End left = new End(first);
    End right = new End(second);
    QueuePair sender = left.queuePair(QpType.UC, null);
    QueuePair receiver = right.queuePair(QpType.UC, null);
    left.connect(sender, right, receiver);
    right.connect(receiver, left, sender);
    for (int i = 0; i < 4; i++) {
      right.receive(receiver, i, End.PIECE);
    }
    int[] lengths = {packetsOfTheFirst * 1024, 3072, 3072, 3072};
    for (int i = 0; i < 4; i++) {
      left.send(sender, i, i + 1, lengths[i]);
      left.next(i);
    }
    int torn = packetsOfTheFirst == 1 ? 2 : 1;

    int piece = 0;
    for (int i = 0; i < 4; i++) {
      if (i != torn) {
        assertEquals(lengths[i], right.next(piece).bytes());
        right.assertReceived(piece, 0, i + 1, lengths[i]);
        piece++;
      }
    }
    right.assertNothing();
    assertEquals(QpState.RTS, receiver.state());
  }

  /** The receive has left the queue, so no other queue pair can use it. */
  @Test
  void aReceiveThatATornMessageTookFromASharedQueueCompletesInError(Context first, Context second) {
    End left = new End(first);
    End right = new End(second);
    SharedReceiveQueue srq = right.pd.createSrq(new SrqInitAttr(4, 1));
    QueuePair sender = left.queuePair(QpType.UC, null);
    QueuePair receiver = right.queuePair(QpType.UC, srq);
    left.connect(sender, right, receiver);
    right.connect(receiver, left, sender);
    right.receive(srq, 0, End.PIECE);
    right.receive(srq, 1, End.PIECE);
    right.receive(srq, 2, End.PIECE);
    for (int i = 0; i < 3; i++) {
      left.send(sender, i, i + 1, 3072);
      left.next(i);
    }
    right.next(0);
    right.assertReceived(0, 0, 1, 3072);
    Completion torn = right.next();
    assertEquals(1, torn.wrId());
    assertEquals(WcStatus.REM_INV_REQ_ERR, torn.status());
    right.next(2);
    right.assertReceived(2, 0, 3, 3072);
    assertEquals(1, right.counter("uc_message_abandoned"));
  }
}
