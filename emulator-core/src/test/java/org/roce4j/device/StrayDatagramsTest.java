package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpCreateFlags;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Deth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;

/** Datagrams for no queue pair, or not for all that might take them, on one engine and on two. */
class StrayDatagramsTest {
  private static final Gid HERE = Gid.parse("10.0.0.1");
  private static final Gid THERE = Gid.parse("10.0.0.2");
  private static final Gid GROUP = Gid.parse("239.1.2.3");
  private static final int QKEY = 5;

  private final List<String> dropped = new ArrayList<>();

  private final class Recorder implements EngineTrace {
    @Override
    public void dropped(int qpNum, int psn, Counter reason) {
      dropped.add("%d %d %s".formatted(qpNum, psn, reason));
    }
  }

  private Device device(int engines) {
    Device device =
        new Device(
            null,
            DeviceLimits.DEFAULT,
            new GidTable(List.of(HERE), 0),
            Mtu.MTU_1024,
            new SplittableRandom(1),
            new Recorder(),
            engines);
    List<Progress> each = Collections.nCopies(engines, Progress.NONE);
    device.attach(PortControl.NONE, Progress.NONE, each);
    return device;
  }

  /** A buffer that ends with the datagram. */
  private static Inbound datagram(Gid from, Gid to, ByteBuffer bytes) {
    return new Inbound()
        .payload(bytes, MemorySegment.ofBuffer(bytes), 0, bytes.capacity())
        .source(from.high(), from.low(), 4791)
        .local(to.high(), to.low());
  }

  private static ByteBuffer send(int destQp, int sourceQp, int psn) {
    Opcode opcode = Opcode.UD_SEND_ONLY;
    ByteBuffer bytes = ByteBuffer.allocateDirect(OutboundPacket.size(opcode, 0));
    Bth.put(bytes, 0, opcode.code(), false, 0, 0xffff, destQp, false, psn);
    Deth.put(bytes, opcode.dethAt(), QKEY, sourceQp);
    return bytes;
  }

  /** A queue pair of the group, which receives. */
  private static QueuePair member(Context context, int engine, int createFlags) {
    QueuePair qp =
        context
            .allocPd()
            .createQp(
                new QpInitAttr()
                    .qpType(QpType.UD)
                    .createFlags(createFlags)
                    .cq(context.createCq(4, null, null, engine))
                    .cap(new QpCapabilities(1, 1, 1, 1, 0)));
    qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
    qp.modify(new QpAttr().qpState(QpState.RTR));
    qp.attachMulticast(GROUP);
    return qp;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 16})
  void whatIsForNobodyIsCountedAndTracedOnce(int engines) {
    Device device = device(engines);
    Engine engine = device.engine(0);
    engine.handleDatagram(0, datagram(THERE, HERE, send(64, 18, 7)));
    engine.handleDatagram(0, datagram(THERE, GROUP, send(QueuePair.MULTICAST_QPN, 18, 8)));
    assertEquals(List.of("64 7 UNKNOWN_QP", QueuePair.MULTICAST_QPN + " 8 UNKNOWN_QP"), dropped);
    assertEquals(2, device.counted(Counter.UNKNOWN_QP));
    assertEquals(2, device.counted(Counter.RECEIVED_PACKETS));
    assertEquals(2 * send(64, 18, 7).capacity(), device.counted(Counter.RECEIVED_BYTES));
  }

  @Test
  void whatAQueuePairRefusesIsTracedWithItsNumber() {
    Device device = device(1);
    QueuePair qp = member(EmulatedContext.open(device, () -> {}), 0, 0);
    ByteBuffer bytes = send(qp.qpNum(), 18, 7);
    Bth.put(bytes, 0, Opcode.RC_SEND_ONLY.code(), false, 0, 0xffff, qp.qpNum(), false, 7);
    device.engine(0).handleDatagram(0, datagram(THERE, HERE, bytes));
    assertEquals(List.of(qp.qpNum() + " 7 WRONG_SERVICE"), dropped);
  }

  /** An engine that is busy for long takes in what it has room for; the rest is counted as lost. */
  @Test
  void whatFindsNoRoomAtItsEngineIsCounted() {
    Device device = device(2);
    Engine near = device.engine(0);
    Engine busy = device.engine(1);
    for (int psn = 0; psn < 1000; psn++) {
      near.handleDatagram(0, datagram(THERE, HERE, send(65, 18, psn)));
    }
    long taken = near.counters().get(Counter.HANDED_OVER);
    assertTrue(taken > 0 && taken < 1000, () -> "handed over: " + taken);
    assertEquals(1000 - taken, near.counters().get(Counter.HANDOVER_DROPPED));
    busy.handleDoorbells(0);
    assertEquals(taken, busy.counters().get(Counter.RECEIVED_PACKETS));
    assertEquals("65 %d UNKNOWN_QP".formatted(taken - 1), dropped.getLast());
    near.handleDatagram(0, datagram(THERE, HERE, send(65, 18, 1000)));
    assertEquals(taken + 1, near.counters().get(Counter.HANDED_OVER), "there is room again");
  }

  /** The state of an engine that has failed is trusted no more: it only flushes what is posted. */
  @Test
  void whatWaitsForAnEngineThatFailsIsLeft() {
    Device device = device(2);
    Engine failed = device.engine(1);
    device.engine(0).handleDatagram(0, datagram(THERE, HERE, send(65, 18, 7)));
    failed.fail(new AssertionError("planted"));
    failed.handleDoorbells(0);
    assertEquals(0, failed.counters().get(Counter.RECEIVED_PACKETS));
    assertEquals(List.of(), dropped);
  }

  /** The port has counted it, and its numbers may be wrong like all its fields. */
  @Test
  void whatHasAWrongIcrcIsTracedWithoutNumbers() {
    Device device = device(1);
    Inbound forged = datagram(THERE, HERE, send(64, 18, 7)).icrc(IcrcVerdict.WRONG);
    device.engine(0).handleDatagram(0, forged);
    assertEquals(List.of("-1 -1 ICRC_ERROR"), dropped);
    assertEquals(0, device.counted(Counter.UNKNOWN_QP));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void whatIsTooShortIsMalformedWhereItCame(int engines) {
    Engine last = device(engines).engine(engines - 1);
    for (int length = 0; length < Bth.SIZE; length++) {
      ByteBuffer bytes = ByteBuffer.allocateDirect(length);
      last.handleDatagram(0, datagram(THERE, HERE, bytes));
      assertEquals(length + 1, last.counters().get(Counter.MALFORMED));
    }
    assertEquals(Collections.nCopies(Bth.SIZE, "-1 -1 MALFORMED"), dropped);
  }

  @ParameterizedTest
  @CsvSource({"0xff, 0", "0x64, 1"})
  void anUnknownOpcodeOrVersionIsMalformed(int opcode, int version) {
    ByteBuffer bytes = send(64, 18, 7);
    bytes.put(0, (byte) opcode).put(1, (byte) version);
    Device device = device(1);
    device.engine(0).handleDatagram(0, datagram(THERE, HERE, bytes));
    assertEquals(List.of("-1 -1 MALFORMED"), dropped);
    assertEquals(1, device.counted(Counter.MALFORMED));
  }

  /** Whatever it lacks, that one tells. */
  @Test
  void whatHasABaseHeaderIsHandedToTheEngineOfItsQueuePair() {
    Device device = device(2);
    ByteBuffer header = ByteBuffer.allocateDirect(Bth.SIZE);
    Bth.put(header, 0, Opcode.UD_SEND_ONLY.code(), false, 0, 0xffff, 65, false, 7);
    device.engine(0).handleDatagram(0, datagram(THERE, HERE, header));
    assertEquals(1 << 1, device.engine(0).takeRecipients());
    assertEquals(1, device.engine(0).counters().get(Counter.HANDED_OVER));
  }

  /** Each gets a copy, and the caller must have all of them run. */
  @Test
  void aDatagramToAGroupIsHandedToEachEngineWithAMember() {
    Device device = device(4);
    Context context = EmulatedContext.open(device, () -> {});
    member(context, 1, 0);
    member(context, 2, 0);
    Inbound toAll = datagram(THERE, GROUP, send(QueuePair.MULTICAST_QPN, 18, 1));
    device.engine(0).handleDatagram(0, toAll);
    assertEquals(1 << 1 | 1 << 2, device.engine(0).takeRecipients());
    for (int engine = 0; engine < 4; engine++) {
      assertEquals(engine == 1 || engine == 2, device.engine(engine).isRung(), "engine " + engine);
    }
  }

  /** Only those of other engines are handed over, and told once. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void whatIsForItsOwnQueuePairsStaysAtTheEngine(int index) {
    Device device = device(2);
    Context context = EmulatedContext.open(device, () -> {});
    Engine engine = device.engine(index);
    int other = 1 - index;
    QueuePair own = member(context, index, 0);
    member(context, other, 0);
    engine.handleDatagram(0, datagram(THERE, HERE, send(own.qpNum(), 18, 1)));
    assertEquals(0, engine.takeRecipients());
    engine.handleDatagram(0, datagram(THERE, GROUP, send(QueuePair.MULTICAST_QPN, 18, 2)));
    assertEquals(1 << other, engine.takeRecipients());
    assertEquals(0, engine.takeRecipients());
    engine.handleDoorbells(0);
    assertEquals(2, engine.counters().get(Counter.OUT_OF_BUFFER), "one of each");
  }

  /** A queue pair is in a group at its own port. */
  @Test
  void aDatagramToAGroupIsForTheQueuePairsOfThePortThatHeardIt() {
    Gid second = Gid.parse("10.0.1.1");
    Device device = LoneEngine.ofPorts(HERE, second);
    device.attach(PortControl.NONE, Progress.NONE);
    member(EmulatedContext.open(device, () -> {}), 0, 0);
    for (Gid heardBy : List.of(HERE, second, HERE)) {
      ByteBuffer bytes = send(QueuePair.MULTICAST_QPN, 18, 1);
      Inbound inbound = datagram(THERE, GROUP, bytes).heardBy(heardBy.high(), heardBy.low());
      device.engine(0).handleDatagram(0, inbound);
    }
    assertEquals(2, device.counted(Counter.OUT_OF_BUFFER));
    assertEquals(0, device.counted(Counter.UNKNOWN_QP));
  }

  @Test
  void aNoticeOfCongestionIsCounted() {
    Device device = device(1);
    ByteBuffer bytes = ByteBuffer.allocateDirect(OutboundPacket.size(Opcode.CNP, 0));
    Bth.put(bytes, 0, Opcode.CNP.code(), false, 0, 0xffff, 64, false, 0);
    device.engine(0).handleDatagram(0, datagram(THERE, HERE, bytes));
    assertEquals(1, device.counted(Counter.CNP_RECEIVED));
    assertEquals(List.of(), dropped);
  }

  /** Only one of UD writes them to memory. It may be of another engine than the datagram's. */
  @Test
  void networkFieldsAreReadWhileThereIsAQueuePairForThem() {
    Device device = device(2);
    Context context = EmulatedContext.open(device, () -> {});
    assertFalse(device.engine(0).readsNetworkFields());
    QueuePair qp = member(context, 1, 0);
    assertTrue(device.engine(0).readsNetworkFields());
    qp.detachMulticast(GROUP);
    qp.close();
    assertFalse(device.engine(0).readsNetworkFields());
  }

  /** Reading ahead in a train stays within the end of its last datagram. */
  @Test
  void aTrainIsReadAheadUpToItsEnd() {
    Engine engine = device(1).engine(0);
    for (int segment = 1; segment < 40; segment++) {
      for (int length = 0; length < 80; length++) {
        engine.expectTrain(ByteBuffer.allocateDirect(length), 0, segment, length);
      }
    }
  }

  /** A datagram is its own by number and by address: a peer may have the same number. */
  @Test
  void onlyItsOwnDatagramsAreKeptFromWhoBlocksThem() {
    Device device = device(1);
    Context context = EmulatedContext.open(device, () -> {});
    QueuePair qp = member(context, 0, QpCreateFlags.BLOCK_SELF_MCAST_LB);
    ByteBuffer own = send(QueuePair.MULTICAST_QPN, qp.qpNum(), 1);
    device.engine(0).handleDatagram(0, datagram(HERE, GROUP, own));
    assertEquals(List.of(), dropped);
    device.engine(0).handleDatagram(0, datagram(THERE, GROUP, own));
    ByteBuffer neighbours = send(QueuePair.MULTICAST_QPN, qp.qpNum() + 1, 1);
    device.engine(0).handleDatagram(0, datagram(HERE, GROUP, neighbours));
    assertEquals(2, device.counted(Counter.OUT_OF_BUFFER), "they came, and found no receive");
    assertEquals(0, device.counted(Counter.UNKNOWN_QP));
    QueuePair open = member(context, 0, 0);
    ByteBuffer echo = send(QueuePair.MULTICAST_QPN, open.qpNum(), 1);
    device.engine(0).handleDatagram(0, datagram(HERE, GROUP, echo));
    assertEquals(4, device.counted(Counter.OUT_OF_BUFFER), "both have it");
  }
}
