package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

/**
 * When a post makes the engine run, when it holds the request, and for how long: for a posting
 * thread while no other thread runs the engine.
 */
class HeldRequestsTest {
  /** Unacknowledged packets from which on a request waits for a full train. */
  private static final int ENOUGH = 16;

  /** Acknowledgement that leaves three packets, too few to hold a request. */
  private static final int ALL_BUT_THREE = ENOUGH - 4;

  private static final long PATIENCE_NS = 20_000;

  /** The requests of posts to the driver. */
  private final List<String> asked = new ArrayList<>();

  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);
  private Engine engine;
  private ProtectionDomain pd;
  private QueuePair qp;
  private PlayedPeer peer;
  private long nowNs = 1_000_000;

  private final class Noting extends Progress.Idle {
    @Override
    public void doorbell() {
      asked.add("run");
    }

    @Override
    public void hold() {
      asked.add("hold");
      engine.hold(nowNs);
    }

    @Override
    public long nowNs() {
      return nowNs;
    }
  }

  @BeforeEach
  void connect() {
    Device device = LoneEngine.device(PlayedPeer.HERE, Mtu.MTU_1024, DeviceLimits.DEFAULT);
    device.attach(PortControl.NONE, new Noting());
    engine = device.engine(0);
    pd = EmulatedContext.open(device, () -> {}).allocPd();
    qp =
        pd.createQp(
            new QpInitAttr()
                .cq(pd.context().createCq(256))
                .cap(new QpCapabilities(256, 1, 1, 1, 0)));
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024).sqPsn(0));
    peer = new PlayedPeer(engine, qp);
    turn();
    for (int i = 0; i < ENOUGH; i++) {
      post();
      assertEquals(1, turn());
    }
  }

  @Test
  void trainsDoubleAfterAPause() {
    acknowledge(ENOUGH - 1);
    turn();
    List<Integer> trains = new ArrayList<>();
    for (int i = 0; i < 4 + 4 + 8 + ENOUGH; i++) {
      if (post().contains("run")) {
        trains.add(turn());
      }
    }
    assertEquals(List.of(1, 1, 1, 1, 4, 8, ENOUGH), trains);
  }

  @Test
  void theFirstAndEveryFourthThatWaitsLooksAtTheClockAndTheLastLetsGo() {
    List<String> each = new ArrayList<>();
    for (int i = 0; i < ENOUGH; i++) {
      List<String> of = post();
      each.add(of.isEmpty() ? "-" : of.getFirst());
    }
    assertEquals("hold - - hold - - - hold - - - hold - - - run", String.join(" ", each));
    assertEquals(ENOUGH, turn());
  }

  @Test
  void theDeadlineIsThatOfTheFirstAndEndsWithTheNextTurn() {
    long before = engine.counters().get(Counter.REQUESTS_HELD);
    post();
    assertEquals(nowNs + PATIENCE_NS, engine.heldUntilNs());
    assertEquals(nowNs + PATIENCE_NS, engine.nextTimeout());
    nowNs += PATIENCE_NS / 2;
    for (int i = 0; i < 3; i++) {
      post();
    }
    assertEquals(nowNs + PATIENCE_NS / 2, engine.heldUntilNs());
    assertEquals(4, turn());
    assertEquals(Deadlines.NEVER, engine.heldUntilNs());
    assertEquals(before + 1, engine.counters().get(Counter.REQUESTS_HELD));
  }

  @Test
  void anAnswerThatLeavesFourInFlightLetsTheNextRequestWait() {
    acknowledge(ALL_BUT_THREE - 1);
    assertEquals(List.of("hold"), post());
  }

  /** A deadline that no turn ends would keep waiting threads from sleeping. */
  @Test
  void nothingIsHeldIfAnotherThreadHasSentItMeanwhile() {
    engine.hold(nowNs);
    assertEquals(Deadlines.NEVER, engine.nextTimeout());
  }

  @Test
  void anAnswerWithNoTurnBehindItLetsTheNextRequestGoAtOnce() {
    acknowledge(ALL_BUT_THREE);
    assertEquals(Deadlines.NEVER, engine.heldUntilNs());
    assertEquals(List.of("run"), post());
  }

  @Test
  void anAnswerThatLeavesEnoughInFlightChangesNothing() {
    post();
    turn();
    acknowledge(0);
    assertEquals(List.of("hold"), post());
    assertEquals(nowNs + PATIENCE_NS, engine.heldUntilNs());
  }

  /** A queue pair with little in flight lets no request wait, so its answers release none. */
  @Test
  void anAnswerToAnotherQueuePairLetsThemWait() {
    QueuePair other = pd.createQp(LoneEngine.init(QpType.RC, qp.sendCq()));
    QpBringUp.toRts(other, PlayedPeer.attributes(Mtu.MTU_1024).sqPsn(0));
    PlayedPeer itsPeer = new PlayedPeer(engine, other);
    post();
    Aeth.put(itsPeer.buffer, Bth.SIZE, Aeth.ACK, 0);
    itsPeer.says(nowNs, Opcode.RC_ACKNOWLEDGE, false, -1);
    assertEquals(nowNs + PATIENCE_NS, engine.heldUntilNs());
  }

  /** What is posted to a queue pair that failed is flushed at once. */
  @Test
  void aQueuePairThatFailedHoldsNoRequest() {
    assertEquals(List.of("hold"), post());
    qp.modify(new QpAttr().qpState(QpState.ERR));
    assertEquals(List.of("run"), post());
  }

  /** A request of the peer ends the row, as in a ping-pong, but sixteen packets are a stream. */
  @ParameterizedTest
  @CsvSource({"0, hold", "1, run"})
  void sixteenPacketsAreAStreamWhateverThePeerSends(int acknowledged, String asks) {
    acknowledge(acknowledged);
    assertEquals(0, qp.postRecv(new RecvRequestList(Arena.ofAuto(), 1, 1).add()));
    peer.says(nowNs, Opcode.RC_SEND_ONLY, false, 0);
    post();
    assertEquals(1, turn());
    assertEquals(List.of(asks), post());
  }

  /** A train has 62 packets of this size: no second message finds room beside 32 of them. */
  @ParameterizedTest
  @CsvSource({"31, hold", "32, run"})
  void longMessagesWaitIfATrainHoldsTwo(int packets, String asks) {
    MemorySegment memory = Arena.ofAuto().allocate(packets * 1024L, 8);
    MemoryRegion region = pd.registerMemory(memory, 0);
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    list.add().opcode(WrOpcode.SEND).sge(region, 0, packets * 1024);
    assertEquals(0, qp.postSend(list));
    assertEquals(packets, turn());
    assertEquals(List.of(asks), post());
  }

  @Test
  void theDeadlineIsARoundTripWhereThatIsLongerButNotForEver() {
    acknowledge(ENOUGH - 1);
    int psn = ENOUGH;
    for (; psn < 8 * ENOUGH; psn++) {
      roundTripOf(40_000, psn);
    }
    long measured = heldFor(psn);
    assertEquals(40_000, measured, 5_000);
    for (psn += ENOUGH + 1; psn < 14 * ENOUGH; psn++) {
      roundTripOf(10_000_000, psn);
    }
    assertEquals(60_000, heldFor(psn));
  }

  /**
   * A program waits for a READ, an atomic or a change of keys, so they are not held; nor is a long
   * message.
   */
  @ParameterizedTest
  @CsvSource({
    "SEND, 0, 8, hold",
    "SEND_WITH_IMM, 0, 8, hold",
    "RDMA_WRITE, 0, 8, hold",
    "RDMA_WRITE_WITH_IMM, 0, 8, hold",
    "SEND_WITH_INV, 0, 8, hold",
    "RDMA_READ, 0, 8, run",
    "ATOMIC_CMP_AND_SWP, 0, 8, run",
    "ATOMIC_FETCH_AND_ADD, 0, 8, run",
    "LOCAL_INV, 0, 0, run",
    "SEND, 1, 8, run",
    "SEND, 0, 4096, hold",
    "SEND, 0, 4097, run"
  })
  void whatItsPosterWaitsForGoesAtOnce(WrOpcode opcode, int flags, int bytes, String asks) {
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0).add().opcode(opcode);
    int fence = flags == 0 ? 0 : SendFlags.FENCE;
    asked.clear();
    assertEquals(0, qp.postSend(bytes == 0 ? list : list.flags(fence).sge(0, bytes, 1)));
    assertEquals(asks, asked.getFirst());
  }

  @Test
  void aBindGoesAtOnce() {
    MemoryWindow window = pd.allocMemoryWindow(MwType.TYPE_1);
    asked.clear();
    qp.bindMemoryWindow(window, 1, 0, null, 0, 0, 0);
    assertTrue(asked.contains("run"));
  }

  private void roundTripOf(long ns, int psn) {
    post();
    turn();
    nowNs += ns;
    acknowledge(psn);
    turn();
  }

  /** The time that a request is held behind enough others; then all are acknowledged. */
  private long heldFor(int psn) {
    for (int i = 0; i < ENOUGH; i++) {
      post();
      turn();
    }
    post();
    long untilNs = engine.heldUntilNs();
    turn();
    acknowledge(psn + ENOUGH);
    return untilNs - nowNs;
  }

  /** Posts; returns the requests to the driver. */
  private List<String> post() {
    asked.clear();
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    assertEquals(0, qp.postSend(list.add().opcode(WrOpcode.SEND)));
    return List.copyOf(asked);
  }

  private void acknowledge(int psn) {
    Aeth.put(peer.buffer, Bth.SIZE, Aeth.ACK, 0);
    peer.says(nowNs, Opcode.RC_ACKNOWLEDGE, false, psn);
  }

  /** The packets of one turn, which must be in one train. */
  private int turn() {
    engine.handleDoorbells(nowNs);
    int packets = engine.pollTransmit(nowNs, train);
    assertEquals(0, engine.pollTransmit(nowNs, new Transmit(ByteBuffer.allocateDirect(70_000), 1)));
    return packets;
  }
}
