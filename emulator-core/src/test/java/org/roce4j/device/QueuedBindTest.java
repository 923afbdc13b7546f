package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Binds that wait in send queues of an engine that does not run until the test runs it. */
class QueuedBindTest {
  private static final int DEPTH = 1 << 14;
  private static final int RIGHTS = AccessFlags.REMOTE_READ;

  @AutoClose private final Arena arena = Arena.ofShared();
  private final Device device =
      new Device(
          null,
          DeviceLimits.DEFAULT,
          new GidTable(List.of(Gid.parse("10.0.0.1")), 0),
          Mtu.MTU_1024,
          new SplittableRandom(1),
          EngineTrace.NONE);
  private final Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), 1);
  private final CompletionQueue cq;
  private final ProtectionDomain pd;
  private final MemoryRegion region;

  QueuedBindTest() {
    device.attach(PortControl.NONE, Progress.NONE);
    Context context = EmulatedContext.open(device, () -> {});
    cq = context.createCq(DEPTH);
    pd = context.allocPd();
    MemorySegment memory = arena.allocate(4096);
    region = pd.registerMemory(memory, AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND);
  }

  private QueuePair readyToSend() {
    QueuePair qp = pd.createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(DEPTH, 1, 1, 1, 0)));
    AhAttr path = AhAttr.roce(Gid.parse("10.0.0.2"), 0);
    QpBringUp.toRts(qp, QpBringUp.attributes(path, 99).timeout(0));
    return qp;
  }

  private void bind(QueuePair qp, MemoryWindow window, long id) {
    qp.bindMemoryWindow(window, id, SendFlags.SIGNALED, region, region.address(), 64, RIGHTS);
  }

  private void run() {
    Engine engine = device.engine(0);
    engine.handleDoorbells(0);
    engine.pollTransmit(0, train);
  }

  private WcStatus completed(long id) {
    run();
    try (WorkCompletions done = new WorkCompletions(1)) {
      assertEquals(1, cq.poll(done));
      assertEquals(id, done.wrId(0));
      return done.status(0);
    }
  }

  private static int lowByte(int key) {
    return key & 0xff;
  }

  @Test
  void twoBindsQueuedForOneTypeOneWindowHaveAKeyEach() {
    QueuePair qp = readyToSend();
    MemoryWindow window = pd.allocMemoryWindow(MwType.TYPE_1);
    int first = window.rkey();
    bind(qp, window, 1);
    int second = window.rkey();
    bind(qp, window, 2);
    int third = window.rkey();
    assertEquals(lowByte(first + 1), lowByte(second));
    assertEquals(lowByte(first + 2), lowByte(third));
    run();
    assertNull(device.keys().find(second), "the second bind ended the first one's");
    assertEquals(third, device.keys().find(third).value());
  }

  @Test
  void threadsThatBindOneTypeOneWindowDoNotGetOneKey() throws InterruptedException {
    QueuePair mine = readyToSend();
    QueuePair theirs = readyToSend();
    MemoryWindow window = pd.allocMemoryWindow(MwType.TYPE_1);
    int first = window.rkey();
    CountDownLatch both = new CountDownLatch(2);
    Thread other = Thread.ofPlatform().start(() -> bindAll(theirs, window, both));
    bindAll(mine, window, both);
    other.join();
    assertEquals(lowByte(first + 2 * DEPTH), lowByte(window.rkey()), "a key was given twice");
  }

  private void bindAll(QueuePair qp, MemoryWindow window, CountDownLatch atOnce) {
    atOnce.countDown();
    while (atOnce.getCount() > 0) {
      Thread.onSpinWait();
    }
    bindAll(qp, window);
  }

  private void bindAll(QueuePair qp, MemoryWindow window) {
    for (int i = 0; i < DEPTH; i++) {
      bind(qp, window, i);
    }
  }

  @Test
  void aBindThatFindsNoRoomInItsQueueTakesNoKey() {
    QueuePair qp = readyToSend();
    MemoryWindow window = pd.allocMemoryWindow(MwType.TYPE_1);
    bindAll(qp, window);
    int key = window.rkey();
    refused(
        Errno.ENOMEM,
        () -> qp.bindMemoryWindow(window, 0, 0, region, region.address(), 64, RIGHTS));
    assertEquals(key, window.rkey());
  }

  @Test
  void theSecondOfTwoBindsQueuedForATypeTwoWindowFailsThoughItNamesTheSameKey() {
    QueuePair qp = readyToSend();
    MemoryWindow window = pd.allocMemoryWindow(MwType.TYPE_2);
    int key = MemoryWindow.incrementRkey(window.rkey());
    assertEquals(0, qp.postSend(bindTypeTwo(window, key, 1)));
    assertEquals(0, qp.postSend(bindTypeTwo(window, key, 2)));
    assertEquals(WcStatus.SUCCESS, completed(1));
    assertEquals(WcStatus.MW_BIND_ERR, completed(2));
    assertEquals(key, device.keys().find(key).value());
  }

  private SendRequestList bindTypeTwo(MemoryWindow window, int key, long id) {
    return new SendRequestList(arena, 1, 1, 0)
        .add()
        .wrId(id)
        .opcode(WrOpcode.BIND_MW)
        .flags(SendFlags.SIGNALED)
        .bindMw(window, key, region, region.address(), 64, RIGHTS);
  }

  @Test
  void aTypeTwoWindowIsNotThatOfAnotherQueuePairWithTheNumberOfItsOwn() {
    QueuePair first = readyToSend();
    MemoryWindow window = pd.allocMemoryWindow(MwType.TYPE_2);
    int key = MemoryWindow.incrementRkey(window.rkey());
    assertEquals(0, first.postSend(bindTypeTwo(window, key, 1)));
    assertEquals(WcStatus.SUCCESS, completed(1));
    first.close();
    for (int others = QueuePair.MULTICAST_QPN - 17; others > 0; others--) {
      device.engine(0).queuePairs().freshNumber(); // all from 16 on have their turn before
    }
    QueuePair second = readyToSend();
    assertEquals(first.qpNum(), second.qpNum());
    SendRequestList invalidate =
        new SendRequestList(arena, 1, 1, 0)
            .add()
            .wrId(2)
            .opcode(WrOpcode.LOCAL_INV)
            .flags(SendFlags.SIGNALED)
            .invalidateRkey(key);
    assertEquals(0, second.postSend(invalidate));
    assertEquals(WcStatus.LOC_QP_OP_ERR, completed(2));
  }
}
