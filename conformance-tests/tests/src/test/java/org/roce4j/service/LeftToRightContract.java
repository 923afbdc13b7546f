package org.roce4j.service;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.bench.Expect.refused;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.junit.Completion;
import org.roce4j.junit.EmulatedNetwork;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** UD, from the left device to the right one. */
@Timeout(60)
abstract class LeftToRightContract {
  static final int QKEY = 0x11111111;
  static final int GRH = GlobalRouteHeader.SIZE;

  private static final int BTH_DETH_ICRC = 12 + 8 + 4;
  private static final int UDP_HEADER = 8;

  private End left;
  private End right;
  private QueuePair sender;
  private QueuePair receiver;
  private AddressHandle toRight;
  private boolean seesHeaders;

  @BeforeEach
  void open(Context first, Context second, EmulatedNetwork network) {
    left = new End(first);
    right = new End(second);
    sender = left.datagrams(QKEY, null);
    receiver = right.datagrams(QKEY, null);
    toRight = left.pd.createAh(AhAttr.roce(right.gid(), 0));
    seesHeaders = !network.transport().equals("netty");
  }

  private void send(long wrId, int value, int length, int qkey) {
    left.fill(0, value, length);
    left.request(wrId, WrOpcode.SEND, 0, length).ud(toRight, receiver.qpNum(), qkey);
    left.post(sender);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1023, 4096})
  void deliversTheMessageBehindFortyBytesOfNetworkHeader(int length) {
    right.receive(receiver, 3, GRH + length);
    toRight = left.pd.createAh(AhAttr.roce(right.gid(), 0, 17, 0x68));

    send(9, 0x5a, length, QKEY);

    left.next(9);
    Completion received = right.next(3);
    assertEquals(WcOpcode.RECV, received.opcode());
    assertEquals(GRH + length, received.bytes());
    assertEquals(WcFlags.GRH, received.flags());
    assertEquals(sender.qpNum(), received.sourceQp());
    assertEquals(receiver.qpNum(), received.qpNum());
    right.assertReceived(3, GRH, 0x5a, length);

    MemorySegment header = right.memory.memory();
    long at = right.receiveAt(3);
    assertEquals(4, GlobalRouteHeader.version(header, at));
    right.assertReceived(3, 0, 0, 20);
    assertEquals(left.gid(), GlobalRouteHeader.sgid(header, at));
    assertEquals(right.gid(), GlobalRouteHeader.dgid(header, at));
    assertEquals(17, GlobalRouteHeader.nextHeader(header, at));
    int padded = length + 3 & ~3;
    assertEquals(UDP_HEADER + BTH_DETH_ICRC + padded, GlobalRouteHeader.payloadLength(header, at));
    assertEquals(seesHeaders ? 17 : 64, GlobalRouteHeader.hopLimit(header, at));
    assertEquals(seesHeaders ? 0x68 : 0, GlobalRouteHeader.trafficClass(header, at));
    assertEquals(0, headerChecksum(header, at + 20));
  }

  /** A port that leaves out what nobody reads may not do so here, however many messages came. */
  @Test
  void theNetworkHeaderOfEachOfManyMessagesIsWhole() {
    toRight = left.pd.createAh(AhAttr.roce(right.gid(), 0, 17, 0x68));
    for (int i = 0; i < 1500; i++) {
      right.receive(receiver, 3, GRH + 8);
      send(9, 1, 8, QKEY);
      left.next(9);
      right.next(3);
      MemorySegment header = right.memory.memory();
      assertEquals(seesHeaders ? 17 : 64, GlobalRouteHeader.hopLimit(header, right.receiveAt(3)));
    }
  }

  private static int headerChecksum(MemorySegment header, long at) {
    int sum = 0;
    for (int i = 0; i < 20; i += 2) {
      sum +=
          Byte.toUnsignedInt(header.get(JAVA_BYTE, at + i)) << 8
              | Byte.toUnsignedInt(header.get(JAVA_BYTE, at + i + 1));
    }
    return ~((sum & 0xffff) + (sum >>> 16)) & 0xffff;
  }

  @Test
  void deliversImmediateData() {
    right.receive(receiver, 0, GRH + 10);
    left.fill(0, 1, 10);
    left.request(1, WrOpcode.SEND_WITH_IMM, 0, 10)
        .immediate(0xcafe)
        .ud(toRight, receiver.qpNum(), QKEY);
    left.post(sender);

    Completion received = right.next(0);
    assertEquals(WcFlags.GRH | WcFlags.WITH_IMM, received.flags());
    assertEquals(0xcafe, received.immediate());
    right.assertReceived(0, GRH, 1, 10);
  }

  @Test
  void anAddressHandleMadeFromTheCompletionAnswersTheSender() {
    right.receive(receiver, 2, GRH + 100);
    left.receive(sender, 1, GRH + 100);
    send(1, 1, 100, QKEY);
    left.next(1);

    WorkCompletions completions = new WorkCompletions(1);
    Arrival.await(right.cq, completions);
    AddressHandle back =
        right.pd.createAhFromWc(completions, 0, right.memory.memory(), right.receiveAt(2), 1);
    assertEquals(left.gid(), back.attr().grh().dgid());
    right.fill(0, 7, 50);
    right.request(5, WrOpcode.SEND, 0, 50).ud(back, completions.sourceQp(0), QKEY);
    right.post(receiver);

    right.next(5);
    assertEquals(GRH + 50, left.next(1).bytes());
    left.assertReceived(1, GRH, 7, 50);
    completions.close();
  }

  @Test
  void aWrongQueueKeyIsDroppedAndCounted() {
    right.receive(receiver, 0, GRH + 10);
    send(1, 1, 10, QKEY + 1);
    send(2, 2, 10, QKEY);
    left.next(1);
    left.next(2);

    right.next(0);
    right.assertReceived(0, GRH, 2, 10);
    assertEquals(1, right.counter("bad_qkey"));
    assertEquals(1, right.context.queryPort(1).qkeyViolationCounter());
    assertEquals(QpState.RTS, receiver.state());
  }

  @Test
  void aPrivilegedQueueKeyInTheRequestSendsTheQueuePairsOwn() {
    right.receive(receiver, 0, GRH + 10);
    send(1, 1, 10, 0x80000000);
    right.next(0);
    assertEquals(0, right.counter("bad_qkey"));
  }

  @Test
  void aDatagramOverTheMtuIsNotSentAndStopsTheSendQueueUntilItIsReadyAgain() {
    right.receive(receiver, 0, GRH + 4096);
    right.receive(receiver, 1, GRH + 4096);
    left.receive(sender, 5, GRH + 10);
    send(1, 1, 4097, QKEY);

    Completion failed = left.next();
    assertEquals(1, failed.wrId());
    assertEquals(WcStatus.LOC_LEN_ERR, failed.status());
    assertEquals(QpState.SQE, sender.state());
    send(2, 2, 10, QKEY);
    assertEquals(WcStatus.WR_FLUSH_ERR, left.next().status());

    // It still receives.
    AddressHandle toLeft = right.pd.createAh(AhAttr.roce(left.gid(), 0));
    right.request(8, WrOpcode.SEND, 0, 10).ud(toLeft, sender.qpNum(), QKEY);
    right.post(receiver);
    right.next(8);
    left.next(5);

    sender.modify(new QpAttr().qpState(QpState.RTS).curQpState(QpState.SQE));
    send(3, 3, 4096, QKEY);
    left.next(3);
    assertEquals(GRH + 4096, right.next(0).bytes());
    right.assertReceived(0, GRH, 3, 4096);
    right.assertNothing();
  }

  @Test
  void aDatagramThatDoesNotFitIsDroppedAndTheReceiveServesTheNext() {
    right.receive(receiver, 0, GRH + 10);
    send(1, 1, 11, QKEY);
    send(2, 2, 10, QKEY);

    assertEquals(GRH + 10, right.next(0).bytes());
    right.assertReceived(0, GRH, 2, 10);
    assertEquals(1, right.counter("request_dropped"));
    assertEquals(QpState.RTS, receiver.state());
  }

  @Test
  void withoutAReceiveDatagramsAreDropped() {
    send(1, 1, 10, QKEY);
    left.next(1);
    while (right.counter("out_of_buffer") == 0) {
      right.poll();
    }
    right.receive(receiver, 0, GRH + 10);
    send(2, 2, 10, QKEY);
    right.next(0);
    right.assertReceived(0, GRH, 2, 10);
  }

  /** rc-transport 8: the receive is kept for a datagram that fits, on any queue pair. */
  @Test
  void aDatagramThatDoesNotFitTheReceiveOfASharedQueueIsDroppedAndTheReceiveIsKept() {
    SharedReceiveQueue srq = right.pd.createSrq(new SrqInitAttr(8, 1));
    QueuePair one = right.datagrams(QKEY, srq);
    QueuePair two = right.datagrams(QKEY, srq);
    right.receive(srq, 4, GRH + 10);
    left.fill(1, 1, 11);
    left.request(1, WrOpcode.SEND, 1, 11).ud(toRight, one.qpNum(), QKEY);
    left.post(sender);
    left.next(1);
    left.fill(2, 2, 10);
    left.request(2, WrOpcode.SEND, 2, 10).ud(toRight, two.qpNum(), QKEY);
    left.post(sender);
    left.next(2);

    Completion received = right.next(4);
    assertEquals(two.qpNum(), received.qpNum());
    right.assertReceived(4, GRH, 2, 10);
    right.assertNothing();
    assertEquals(1, right.counter("request_dropped"));
    assertEquals(QpState.RTS, one.state());
  }

  @Test
  void twoQueuePairsTakeTheirReceivesFromOneSharedQueue() {
    SharedReceiveQueue srq = right.pd.createSrq(new SrqInitAttr(8, 1));
    QueuePair one = right.datagrams(QKEY, srq);
    QueuePair two = right.datagrams(QKEY, srq);
    for (int i = 0; i < 4; i++) {
      right.receive(srq, i, GRH + 10);
    }
    QueuePair[] targets = {one, two, two, one};
    for (int i = 0; i < 4; i++) {
      left.fill(i, i, 10);
      left.request(i, WrOpcode.SEND, i, 10).ud(toRight, targets[i].qpNum(), QKEY);
      left.post(sender);
      left.next(i);
    }
    for (int i = 0; i < 4; i++) {
      assertEquals(targets[i].qpNum(), right.next(i).qpNum());
      right.assertReceived(i, GRH, i, 10);
    }
  }

  @Test
  void anAddressHandleMustLeaveFromAnAddressOfTheDevice() {
    VerbsException refused =
        refused(Errno.EINVAL, () -> left.pd.createAh(AhAttr.roce(right.gid(), 9)));
    assertTrue(refused.remedy().contains("sgid_index 9"), refused.remedy());
  }
}
