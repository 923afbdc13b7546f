package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Bth;

/** Queue pairs of one engine with packets to send take turns: none is left out or preferred. */
class TurnsTest {
  private static final int FIRST_PEER = 100;
  private static final int PACKET = 1024;

  @AutoClose private final Arena arena = Arena.ofShared();
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final CompletionQueue cq = lone.pd.context().createCq(512);
  private final MemoryRegion region =
      lone.pd.registerMemory(arena.allocate(16 * PACKET), AccessFlags.LOCAL_WRITE);
  private final List<QueuePair> qps = new ArrayList<>();
  private Transmit train = trains(1);

  private static Transmit trains(int packets) {
    return new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), packets);
  }

  /** The peer of the n-th has number 100 + n. */
  private void create(int count) {
    for (int i = 0; i < count; i++) {
      QueuePair qp = lone.pd.createQp(LoneEngine.init(QpType.RC, cq));
      QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024).destQpNum(FIRST_PEER + qps.size()));
      qps.add(qp);
    }
  }

  /** Sends a message of this number of packets, or of no bytes. */
  private void send(int from, int packets) {
    for (QueuePair qp : qps.subList(from, qps.size())) {
      SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
      qp.postSendOrThrow(list.add().opcode(WrOpcode.SEND).sge(region, 0, packets * PACKET));
      lone.engine.handleDoorbells(0);
    }
  }

  /** The peers of the next trains. */
  private List<Integer> next(int trains) {
    List<Integer> to = new ArrayList<>();
    for (int i = 0; i < trains && lone.engine.pollTransmit(0, train) > 0; i++) {
      to.add(Bth.destQp(train.buffer(), 0) - FIRST_PEER);
    }
    return to;
  }

  private static List<Integer> numbers(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void whatFillsATrainWaitsForTheOthersThen(int packets) {
    train = trains(packets);
    create(3);
    send(0, 16);
    assertEquals(List.of(0, 1, 2, 0, 1, 2, 0), next(7));
  }

  /** The list of waiting queue pairs grows with their number. */
  @Test
  void asManyAsThereAreComeInTheOrderOfPosting() {
    create(60);
    send(0, 0);
    assertEquals(numbers(0, 30), next(30));
    create(140);
    send(60, 0);
    assertEquals(numbers(30, 200), next(200));
    send(0, 0);
    assertEquals(numbers(0, 200), next(201));
  }

  /** All that have begun to send look whether there is something. */
  @Test
  void twoHundredTakeATurnWithoutAPacket() {
    create(200);
    assertEquals(List.of(), next(1));
    send(0, 0);
    assertEquals(numbers(0, 200), next(200));
  }

  /** However many turns there were before: the places of those that wait are used in a circle. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void whatIsDestroyedLeavesTheOthersInTheirOrder(int rounds) {
    create(31);
    for (int i = 0; i < rounds; i++) {
      send(0, 0);
      assertEquals(numbers(0, 31), next(32));
    }
    create(6);
    send(31, 1);
    assertEquals(List.of(31), next(1));
    qps.get(34).close();
    qps.get(32).close();
    assertEquals(List.of(33, 35, 36), next(6));
  }

  /** Its datagrams may be for any queue pairs, with any opcode, and more than a train can have. */
  @Test
  void aTrainThatIsReadAheadChangesNothing() {
    create(2);
    int datagrams = 2 * Transmit.MAX_SEGMENTS;
    ByteBuffer packets = ByteBuffer.allocateDirect(5 + datagrams * Bth.SIZE);
    for (int opcode = 0; opcode < 256; opcode++) {
      for (int i = 0; i < datagrams; i++) {
        int to = qps.get(i % 2).qpNum();
        Bth.put(packets, 5 + i * Bth.SIZE, opcode, false, 0, 0xffff, to, false, 0);
      }
      lone.engine.expectTrain(packets, 5, Bth.SIZE, datagrams * Bth.SIZE);
    }
    send(0, 0);
    assertEquals(numbers(0, 2), next(3));
  }

  /** A list of 64 places grows when the next queue pair is created. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void oneOfSixtyFourThatWaitIsDestroyed(int earlierTurns) {
    create(64);
    assertEquals(List.of(), next(1));
    send(64 - earlierTurns, 0);
    assertEquals(numbers(64 - earlierTurns, 64), next(2));
    send(0, 0);
    qps.get(5).close();
    List<Integer> others = new ArrayList<>(numbers(0, 64));
    others.remove(5);
    assertEquals(others, next(65));
  }

  /** In packets, in bytes without IP and UDP, and in trains; an empty turn is none. */
  @Test
  void whatIsSentIsCounted() {
    train = trains(4);
    create(2);
    send(0, 9);
    long packets = 0;
    long bytes = 0;
    long trains = 0;
    while (lone.engine.pollTransmit(0, train) > 0) {
      packets += train.segments();
      bytes += train.length();
      trains++;
    }
    Counters counters = lone.engine.counters();
    assertEquals(18, packets);
    assertEquals(packets, counters.get(Counter.SENT_PACKETS));
    assertEquals(bytes, counters.get(Counter.SENT_BYTES));
    assertEquals(trains, counters.get(Counter.SENT_TRAINS));
  }

  /** A drained engine has nothing more to send: the next check may be much later. */
  @ParameterizedTest
  @EnumSource(
      value = QpType.class,
      names = {"RC", "UC", "UD"})
  void whatFailsHereKeepsNoOtherFromItsTurn(QpType type) {
    QueuePair failing = lone.pd.createQp(LoneEngine.init(type, cq));
    QpBringUp.toRts(failing, PlayedPeer.attributes(Mtu.MTU_1024).qkey(5));
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 3, 1, 0);
    for (int i = 0; i < 3; i++) {
      list.add().opcode(WrOpcode.SEND).sge(region.address(), 8, region.lkey() + 1);
      if (type == QpType.UD) {
        list.ud(lone.pd.createAh(AhAttr.roce(Gid.parse("10.0.0.2"), 0)), 17, 5);
      }
    }
    failing.postSendOrThrow(list);
    lone.engine.handleDoorbells(0);
    create(2);
    send(0, 0);
    assertEquals(List.of(0, 1), next(9));
    assertFalse(lone.engine.hasOutput());
  }
}
