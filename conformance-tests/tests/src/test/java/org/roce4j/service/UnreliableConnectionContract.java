package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.junit.Completion;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** UC with a path MTU of 1024 bytes, from the left device to the right one. */
@Timeout(60)
abstract class UnreliableConnectionContract {
  private static final int MTU = 1024;

  private End left;
  private End right;
  private QueuePair sender;
  private QueuePair receiver;

  @BeforeEach
  void open(Context first, Context second) {
    left = new End(first);
    right = new End(second);
    sender = left.queuePair(QpType.UC, null);
    receiver = right.queuePair(QpType.UC, null);
    left.connect(sender, right, receiver);
    right.connect(receiver, left, sender);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, MTU, MTU + 1, 7 * MTU + 3})
  void deliversMessagesOfAnyLength(int length) {
    for (int i = 0; i < 4; i++) {
      right.receive(receiver, i, End.PIECE);
    }
    for (int i = 0; i < 4; i++) {
      left.fill(i, i + 1, length);
      left.request(i, WrOpcode.SEND, i, length);
      left.post(sender);
    }
    for (int i = 0; i < 4; i++) {
      left.next(i);
      Completion received = right.next(i);
      assertEquals(length, received.bytes());
      assertEquals(WcOpcode.RECV, received.opcode());
      right.assertReceived(i, 0, i + 1, length);
    }
  }

  @Test
  void writesAndTellsOfWritesWithImmediateData() {
    long remote = right.memory.iova() + right.receiveAt(5);
    left.fill(0, 9, 3000);
    left.request(1, WrOpcode.RDMA_WRITE, 0, 3000).remote(remote, right.memory.rkey());
    left.post(sender);
    left.fill(1, 8, 100);
    left.request(2, WrOpcode.RDMA_WRITE_WITH_IMM, 1, 100)
        .immediate(77)
        .remote(remote + 3000, right.memory.rkey());
    right.receive(receiver, 0, 0);
    left.post(sender);

    left.next(1);
    left.next(2);
    Completion told = right.next(0);
    assertEquals(WcOpcode.RECV_RDMA_WITH_IMM, told.opcode());
    assertEquals(100, told.bytes());
    assertEquals(77, told.immediate());
    assertEquals(WcFlags.WITH_IMM, told.flags());
    right.assertReceived(5, 0, 9, 3000);
    right.assertReceived(5, 3000, 8, 100);
  }

  @Test
  void aMessageWithoutAReceiveIsDroppedWhole() {
    left.send(sender, 1, 1, 3000);
    left.next(1);
    while (right.counter("request_dropped") == 0) {
      right.poll();
    }
    right.receive(receiver, 0, End.PIECE);
    left.send(sender, 2, 2, 3000);
    assertEquals(3000, right.next(0).bytes());
    right.assertReceived(0, 0, 2, 3000);
    assertEquals(QpState.RTS, receiver.state());
  }

  @Test
  void aMessageThatDoesNotFitIsDroppedAndTheReceiveServesTheNext() {
    right.receive(receiver, 0, 2000);
    left.send(sender, 1, 1, 3000);
    left.next(1);
    left.send(sender, 2, 2, 2000);
    assertEquals(2000, right.next(0).bytes());
    right.assertReceived(0, 0, 2, 2000);
    assertEquals(QpState.RTS, receiver.state());
  }

  @Test
  void aWriteWithoutRightsIsDroppedSilently() {
    left.request(1, WrOpcode.RDMA_WRITE, 0, 10)
        .remote(right.memory.iova(), right.memory.rkey() ^ 0x100);
    left.post(sender);
    left.next(1);
    right.receive(receiver, 0, End.PIECE);
    left.send(sender, 2, 2, 10);
    right.next(0);
    assertEquals(QpState.RTS, receiver.state());
    assertEquals(QpState.RTS, sender.state());
  }

  @Test
  void aLocalErrorStopsTheSendQueueUntilItIsReadyAgain() {
    left.request(1, WrOpcode.SEND, 0, 0).sge(left.memory.iova(), 100, left.memory.lkey() ^ 0x100);
    left.post(sender);
    assertEquals(WcStatus.LOC_PROT_ERR, left.next().status());
    assertEquals(QpState.SQE, sender.state());

    sender.modify(new QpAttr().qpState(QpState.RTS).curQpState(QpState.SQE));
    right.receive(receiver, 0, End.PIECE);
    left.send(sender, 3, 3, 3000);
    left.next(3);
    right.next(0);
    right.assertReceived(0, 0, 3, 3000);
  }
}
