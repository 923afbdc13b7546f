package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.bench.Expect.refused;

import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.engine.Limit;
import org.roce4j.service.Arrival;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.capture.CaptureReader;
import org.roce4j.wire.capture.CapturedFrame;

/** Queue pairs of one device on several engines, each with sockets of its own. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SeveralEnginesTest {
  private static final int ENGINES = 4;
  private static final int MOST_EXCHANGES = 50;
  private static final int BYTES = 2000;
  private static final int IPV4_AND_UDP = 20 + 8;

  private static DeviceOptions options(String name, Gid address, int engines) {
    return DeviceOptions.of(name, address).withTransport("linux").withEngines(engines);
  }

  private static RdmaDevice device(String name, int engines) {
    return Emulator.device(options(name, Loopback.fresh(), engines));
  }

  private static QueuePair queuePair(
      RcSide side, CompletionQueue sendCq, CompletionQueue recvCq, SharedReceiveQueue srq) {
    return side.pd.createQp(
        new QpInitAttr()
            .sendCq(sendCq)
            .recvCq(recvCq)
            .srq(srq)
            .cap(new QpCapabilities(16, srq == null ? 16 : 0, 1, 1, 0)));
  }

  private static CompletionQueue cq(RcSide side, int vector) {
    return side.context.createCq(64, null, null, vector);
  }

  @Test
  void aQueuePairsNumberEndsInTheVectorOfItsCompletionQueue() {
    try (Context context = device("several", ENGINES).open()) {
      assertEquals(ENGINES, context.queryDevice().numCompVectors());
      for (int vector = 0; vector < ENGINES; vector++) {
        RcSide side = new RcSide(context, BYTES, vector);
        assertEquals(vector, side.qp.qpNum() % ENGINES);
      }
      refused(Errno.EINVAL, () -> context.createCq(1, null, null, ENGINES));
    }
  }

  @Test
  void theKernelGivesEachDatagramToTheEngineOfItsQueuePair() {
    RdmaDevice left = device("left", ENGINES);
    RdmaDevice right = device("right", ENGINES);
    for (int vector = 0; vector < ENGINES; vector++) {
      try (RcSide a = new RcSide(left.open(), 2 * BYTES, vector);
          RcSide b = new RcSide(right.open(), 2 * BYTES, ENGINES - 1 - vector)) {
        RcSide.connect(a, b, 14, 7);
        for (int i = 0; i < 5; i++) {
          b.receive(i, BYTES, BYTES);
          a.memory().set(ValueLayout.JAVA_BYTE, BYTES - 1, (byte) (vector + i));
          a.send(i, 0, BYTES);
          assertEquals(List.of(new RcSide.Completion(i, WcStatus.SUCCESS, BYTES)), b.await(1));
          assertEquals(1, a.await(1).size());
          assertEquals(-1, b.memory().asSlice(BYTES).mismatch(a.memory().asSlice(0, BYTES)));
        }
        assertEquals(0, a.context.counters().get("handed_over"));
        assertEquals(0, b.context.counters().get("handed_over"));
      }
    }
  }

  /** A sender of one engine puts requests to queue pairs of all engines into the same trains. */
  @Test
  void aTrainForSeveralEnginesReachesThemAll() {
    int connections = 48;
    int rounds = 5; // no more than the completion queue holds
    int bytes = 500;
    // A window so small that most queue pairs wait for it and then go on together.
    DeviceOptions narrow =
        options("one", Loopback.fresh(), 1).withLimit(Limit.PATH_WINDOW_BYTES, 8192);
    try (RcSide from = new RcSide(Emulator.device(narrow), bytes);
        RcSide to = new RcSide(device("many", ENGINES), connections * bytes);
        RecvRequestList receive = new RecvRequestList(1, 1);
        SendRequestList send = new SendRequestList(1, 1, 0);
        WorkCompletions done = new WorkCompletions(64)) {
      List<CompletionQueue> cqs =
          IntStream.range(0, ENGINES)
              .mapToObj(vector -> to.context.createCq(512, null, null, vector))
              .toList();
      List<QueuePair> senders = new ArrayList<>();
      List<QueuePair> receivers = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        CompletionQueue cq = cqs.get(i % ENGINES);
        QueuePair receiver = queuePair(to, cq, cq, null);
        QueuePair sender = from.queuePair();
        RcSide.connect(receiver, from.gid, sender.qpNum(), 14, 7);
        RcSide.connect(sender, to.gid, receiver.qpNum(), 14, 7);
        senders.add(sender);
        receivers.add(receiver);
      }
      from.memory().fill((byte) 7);
      // The number of acknowledgements taken in at once decides which packets share a train.
      for (int i = 0; i < MOST_EXCHANGES && to.context.counters().get("handed_over") == 0; i++) {
        postReceives(receivers, rounds, receive, to.mr, bytes);
        postOnEach(senders, rounds, send, from.mr, bytes);
        completeAll(connections * rounds, from.cq, cqs, done);
      }
      assertTrue(to.context.counters().get("handed_over") > 0, "no train was mixed");
      for (long at = 0; at < to.memory().byteSize(); at++) {
        assertEquals(7, to.memory().get(ValueLayout.JAVA_BYTE, at));
      }
    }
  }

  private static void postReceives(
      List<QueuePair> receivers, int rounds, RecvRequestList receive, MemoryRegion to, int bytes) {
    for (int at = 0; at < receivers.size() * rounds; at++) {
      receive.clear().add().wrId(at);
      int receiver = at % receivers.size();
      receive.sge(to, (long) receiver * bytes, bytes);
      assertEquals(0, receivers.get(receiver).postRecv(receive));
    }
  }

  private static void postOnEach(
      List<QueuePair> senders, int rounds, SendRequestList send, MemoryRegion from, int bytes) {
    for (int n = 0; n < rounds; n++) {
      for (QueuePair sender : senders) {
        send.clear().add().wrId(n).opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
        assertEquals(0, sender.postSend(send.sge(from, 0, bytes)));
      }
    }
  }

  /** Polls until {@code messages} messages are sent and each is received once. */
  private static void completeAll(
      int messages, CompletionQueue sendCq, List<CompletionQueue> recvCqs, WorkCompletions done) {
    Set<Long> received = new HashSet<>();
    int sent = 0;
    while (received.size() < messages || sent < messages) {
      for (CompletionQueue cq : recvCqs) {
        for (int k = cq.poll(done) - 1; k >= 0; k--) {
          assertEquals(WcStatus.SUCCESS, done.status(k));
          assertTrue(received.add(done.wrId(k)), "received twice");
        }
      }
      int more = sendCq.poll(done);
      for (int k = 0; k < more; k++) {
        assertEquals(WcStatus.SUCCESS, done.status(k));
      }
      sent += more;
    }
  }

  @Test
  void queuePairsOfASharedReceiveQueueLiveOnOneEngine() {
    try (RcSide side = new RcSide(device("shared", ENGINES), BYTES)) {
      SharedReceiveQueue srq = side.pd.createSrq(new SrqInitAttr(8, 1));
      QueuePair first = queuePair(side, cq(side, 2), cq(side, 1), srq);
      QueuePair second = queuePair(side, cq(side, 3), cq(side, 0), srq);
      assertEquals(2, first.qpNum() % ENGINES);
      assertEquals(2, second.qpNum() % ENGINES);
      first.close();
      second.close();
      assertEquals(1, queuePair(side, cq(side, 1), cq(side, 0), srq).qpNum() % ENGINES);
    }
  }

  @Test
  void whoPollsACompletionQueueRunsTheEnginesThatFeedIt() {
    try (RcSide from = new RcSide(device("from", 1), BYTES);
        RcSide to = new RcSide(device("to", ENGINES), BYTES);
        WorkCompletions done = new WorkCompletions(1);
        RecvRequestList receive = new RecvRequestList(1, 1).add()) {
      CompletionQueue common = cq(to, 0);
      for (int vector = 0; vector < ENGINES; vector++) {
        QueuePair receiver = queuePair(to, cq(to, vector), common, null);
        QueuePair sender = from.queuePair();
        RcSide.connect(receiver, from.gid, sender.qpNum(), 14, 7);
        RcSide.connect(sender, to.gid, receiver.qpNum(), 14, 7);
        assertEquals(0, receiver.postRecv(receive));
        try (SendRequestList send = new SendRequestList(1, 1, 0)) {
          send.add().wrId(1).opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
          assertEquals(0, sender.postSend(send));
        }
        Arrival.await(common, done);
        assertEquals(receiver.qpNum(), done.qpNum(0));
        assertEquals(1, from.await(1).size());
      }
    }
  }

  @Test
  void anOverflowFailsTheQueuePairsOfAllEngines() {
    try (RcSide side = new RcSide(device("overflow", ENGINES), BYTES);
        SendRequestList nothing = new SendRequestList(1, 1, 0)) {
      CompletionQueue small = side.context.createCq(1, null, null, 1);
      QueuePair own = queuePair(side, small, small, null);
      QueuePair other = queuePair(side, cq(side, 3), small, null);
      RcSide.connect(own, side.gid, other.qpNum(), 14, 7);
      RcSide.connect(other, side.gid, own.qpNum(), 14, 7);
      own.modify(new QpAttr().qpState(QpState.ERR));
      nothing.add().opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
      for (int i = 0; i < 4; i++) {
        own.postSendOrThrow(nothing); // flushed at once
      }
      Set<EventType> events = EnumSet.noneOf(EventType.class);
      while (events.size() < 2) {
        AsyncEvent event = side.context.getAsyncEvent();
        events.add(event.type());
        event.ack();
      }
      assertEquals(EnumSet.of(EventType.CQ_ERR, EventType.QP_FATAL), events);
      assertEquals(QpState.ERR, other.state());
    }
  }

  /** Any engine may be asked for access that another one has bound. */
  @Test
  void aWindowBoundOnOneEngineServesTheQueuePairsOfAnother() {
    try (RcSide side = new RcSide(device("window", ENGINES), 2 * BYTES)) {
      RcSide peer = new RcSide(side.context, BYTES, 3);
      QueuePair binder = queuePair(side, cq(side, 2), cq(side, 2), null);
      RcSide.connect(binder, side.gid, binder.qpNum(), 14, 7);
      RcSide.connect(side, peer, 14, 7);
      MemoryWindow window = side.pd.allocMemoryWindow(MwType.TYPE_1);
      MemoryRegion region =
          side.pd.registerMemory(side.memory(), RcSide.ALL_RIGHTS | AccessFlags.MW_BIND);
      binder.bindMemoryWindow(
          window,
          1,
          SendFlags.SIGNALED,
          region,
          region.address() + BYTES,
          BYTES,
          AccessFlags.REMOTE_WRITE);
      try (WorkCompletions done = new WorkCompletions(1)) {
        Arrival.await(binder.sendCq(), done);
        assertEquals(WcStatus.SUCCESS, done.status(0));
      }
      peer.memory().fill((byte) 9);
      peer.rdma(WrOpcode.RDMA_WRITE, 5, 0, BYTES, region.address() + BYTES, window.rkey());
      assertEquals(WcStatus.SUCCESS, peer.await(1).getFirst().status());
      assertEquals(9, side.memory().get(ValueLayout.JAVA_BYTE, 2 * BYTES - 1));
    }
  }

  @Test
  void allEnginesWriteOneCapture(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("several.pcapng");
    Set<Integer> queuePairs = new HashSet<>();
    DeviceOptions captured =
        options("captured", Loopback.fresh(), ENGINES).withCapture(file, 65535);
    try (Context context = Emulator.device(captured).open()) {
      for (int vector = 0; vector < ENGINES; vector++) {
        RcSide a = new RcSide(context, BYTES, vector);
        RcSide b = new RcSide(context, BYTES, ENGINES - 1 - vector);
        RcSide.connect(a, b, 14, 7);
        b.receive(1, 0, BYTES);
        a.send(1, 0, BYTES);
        assertEquals(1, b.await(1).size());
        assertEquals(1, a.await(1).size());
        queuePairs.add(b.qp.qpNum());
      }
    }
    Set<Integer> seen = new HashSet<>();
    try (CaptureReader reader = CaptureReader.open(file)) {
      for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
        seen.add(frame.bytes().buffer().getInt(IPV4_AND_UDP + 4) & 0xffffff);
      }
    }
    assertTrue(seen.containsAll(queuePairs), seen + " lacks some of " + queuePairs);
  }

  @Test
  void anAddressInUseIsRefusedAsForOneEngine() {
    Gid address = Loopback.fresh();
    try (Context first = Emulator.device(options("first", address, ENGINES)).open()) {
      for (int engines : new int[] {1, ENGINES}) {
        RdmaDevice second = Emulator.device(options("second", address, engines));
        refused(Errno.EADDRINUSE, second::open);
      }
      first.allocPd().close();
    }
    Emulator.device(options("second", address, ENGINES)).open().close();
  }

  @Test
  void aTransportThatCarriesOneEngineSaysSo() {
    RdmaDevice netty =
        Emulator.device(
            DeviceOptions.of("netty", Loopback.fresh()).withTransport("netty").withEngines(2));
    VerbsException refused = refused(Errno.EOPNOTSUPP, netty::open);
    assertTrue(refused.remedy().contains("engines=1"), refused.remedy());
  }
}
