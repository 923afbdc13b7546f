package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.fabric.FabricFilter;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.WcStatus;

/** An XRC shared receive queue is destroyed, or fails, while a message to it is under way. */
class XrcQueueGoneTest {
  private final XrcRig rig = new XrcRig(1);

  @AfterEach
  void close() {
    rig.close();
  }

  /**
   * Two shared receive queues complete into one completion queue, which must not get completions of
   * the destroyed one.
   */
  @ParameterizedTest
  @CsvSource({"1, true", "1, false", "3, true", "3, false"})
  void messagesUnderWayEndWithTheirQueue(int targets, boolean another) {
    XrcRig.Receiver there = rig.receiver();
    SharedReceiveQueue second = rig.far.createSrq(there.attr(rig.xrcd));
    Map<Integer, Integer> came = new HashMap<>(); // packets for each target; two may arrive
    rig.devices
        .fabric()
        .filter(
            (from, to, buffer, at, length, n) ->
                drop(to, came.merge(buffer.getInt(at + 4), 1, Integer::sum) > 2));
    List<QueuePair> all = Stream.generate(rig::target).limit(targets).toList();
    for (QueuePair target : all) {
      QueuePair qp = rig.connected(target);
      there.post(1, 0, 1000);
      qp.postSendOrThrow(rig.send(1, there.srq.srqNum(), 1000)); // four packets
    }
    arrives(there);
    there.srq.close();
    rig.devices.fabric().filter(null);
    for (QueuePair target : all) {
      if (another) {
        assertEquals(WcStatus.REM_INV_REQ_ERR, rig.next(rig.nearCq).status(0));
      } else {
        target.modify(new QpAttr().qpState(QpState.ERR));
      }
    }
    assertTrue(rig.nothing(there.cq), "what was posted to it completes no more");
    second.close();
  }

  @Test
  void aMessageUnderWayGoesOnWhenAnotherQueueIsDestroyed() {
    XrcRig.Receiver there = rig.receiver();
    XrcRig.Receiver another = rig.receiver();
    QueuePair qp = rig.connected(rig.target());
    there.post(1, 0, 1000);
    AtomicInteger came = new AtomicInteger();
    rig.devices
        .fabric()
        .filter((from, to, buffer, at, length, n) -> drop(to, came.incrementAndGet() > 2));
    qp.postSendOrThrow(rig.send(1, there.srq.srqNum(), 1000)); // four packets
    arrives(there);
    another.srq.close();
    rig.devices.fabric().filter(null);
    assertEquals(WcStatus.SUCCESS, rig.next(rig.nearCq).status(0));
    assertEquals(1000, rig.next(there.cq).byteLength(0));
    assertEquals(-1, there.memory.asSlice(0, 1000).mismatch(rig.nearMemory.asSlice(0, 1000)));
  }

  /** Before a message or in the middle of one; other queues of the domain go on. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void messagesToAQueueThatHasFailedFail(boolean underWay) {
    XrcRig.Receiver there = rig.receiver();
    XrcRig.Receiver sound = rig.receiver();
    QueuePair target = rig.target();
    QueuePair qp = rig.connected(target);
    there.post(1, 0, 1000);
    AtomicInteger came = new AtomicInteger();
    if (underWay) {
      rig.devices
          .fabric()
          .filter((from, to, buffer, at, length, n) -> drop(to, came.incrementAndGet() > 2));
      qp.postSendOrThrow(rig.send(1, there.srq.srqNum(), 1000)); // four packets
      arrives(there);
    }
    rig.farDevice.fail(there.srq);
    rig.devices.fabric().filter(null);
    if (!underWay) {
      qp.postSendOrThrow(rig.send(1, there.srq.srqNum(), 1000));
    }
    assertEquals(WcStatus.REM_OP_ERR, rig.next(rig.nearCq).status(0));
    assertEquals(QpState.ERR, target.state());
    sound.post(2, 0, 1000);
    QueuePair other = rig.connected(rig.target());
    assertEquals(WcStatus.SUCCESS, rig.status(other, rig.send(2, sound.srq.srqNum(), 1000)));
  }

  /** Lets the first packets of a message arrive, before its sender gives up. */
  private void arrives(XrcRig.Receiver there) {
    for (int i = 0; i < 8; i++) {
      assertEquals(0, there.cq.poll(rig.last()));
    }
  }

  private static List<FaultAction> drop(Gid to, boolean late) {
    return late && to.equals(XrcRig.FAR) ? FabricFilter.DROP : FabricFilter.PASS;
  }
}
