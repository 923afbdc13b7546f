package org.roce4j.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.memory.Domain;
import org.roce4j.engine.memory.KeyTable;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.engine.requester.InFlight;
import org.roce4j.engine.requester.TransmitOutcome;
import org.roce4j.engine.responder.ReceiveSource;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MigState;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Deth;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.UdpSourcePort;

/** The effect of attributes on a queue pair, where dialogues see too little of it. */
class QpMachineTest {
  private static final int QPN = 17;
  private static final int QKEY = 5;

  private final TestHost host = new TestHost();
  private final List<EventType> events = new ArrayList<>();
  private final SendQueue sendQueue = new SendQueue(4, 1, 0);
  private final ReceiveQueue receiveQueue = new ReceiveQueue(4, 1);

  private record OwnReceives(ReceiveQueue queue, Domain domain) implements ReceiveSource {
    @Override
    public boolean shared() {
      return false;
    }
  }

  private QpMachine machine(QpType type) {
    CompletionRing completions =
        new CompletionRing(
            16,
            new CompletionRing.RingListener() {
              @Override
              public void completionEvent(int qpNum) {}

              @Override
              public void overflow(int qpNum, boolean first) {}
            });
    Domain domain = new Domain();
    ReceiveSource source = new OwnReceives(receiveQueue, domain);
    return new QpMachine(
        host,
        new QpParts(
            events::add,
            QPN,
            type,
            sendQueue,
            source,
            1,
            completions,
            completions,
            new KeyTable(new SplittableRandom(1), 4, 4),
            domain,
            true,
            null));
  }

  private static void modify(QpMachine qp, QpAttr attr) {
    qp.modify(attr, attr.mask());
  }

  private QpMachine reliable() {
    return connected(QpType.RC);
  }

  private QpMachine connected(QpType type) {
    return connected(type, attributes());
  }

  private static QpAttr attributes() {
    return QpBringUp.attributes(AhAttr.roce(Gid.parse("10.0.0.2"), 0), 18).pathMtu(Mtu.MTU_256);
  }

  private QpMachine connected(QpType type, QpAttr attr) {
    QpMachine qp = machine(type);
    for (QpState state : new QpState[] {QpState.INIT, QpState.RTR, QpState.RTS}) {
      qp.modify(attr.qpState(state), QpAttrMask.STATE | QpBringUp.needed(type, state));
    }
    return qp;
  }

  /** The knowledge about a path is forgotten with its last user. */
  @Test
  void aPathThatMayBeTheSameIsHeldBeforeTheOldOneIsReleased() {
    QpMachine qp = reliable();
    modify(qp, new QpAttr().qpState(QpState.SQD));
    modify(qp, new QpAttr().qpState(QpState.SQD).ahAttr(AhAttr.roce(Gid.parse("10.0.0.2"), 0)));
    assertEquals(1, host.users);
    assertEquals(1, host.fewestUsers);
    modify(qp, new QpAttr().qpState(QpState.RESET));
    assertEquals(0, host.users);
  }

  @Test
  void takesPacketsOfItsPartitionAlone() {
    host.pkey = 0x8123;
    QpMachine qp = reliable();
    say(qp, Opcode.RC_ACKNOWLEDGE, 0xffff, 0);
    assertEquals(1, host.counters().get(Counter.BAD_PKEY));
    say(qp, Opcode.RC_ACKNOWLEDGE, 0x8123, 0);
    assertEquals(1, host.counters().get(Counter.BAD_PKEY));
    assertEquals(1, host.counters().get(Counter.WRONG_ADDRESS), "but it comes from nowhere");
  }

  /** Addresses differ in any bit: a half alone, such as an interface identifier, names no host. */
  @ParameterizedTest
  @EnumSource(names = {"RC", "UC"})
  void takesPacketsBetweenItsTwoAddressesAlone(QpType type) {
    QpMachine qp = connected(type);
    Opcode opcode = type == QpType.RC ? Opcode.RC_SEND_ONLY : Opcode.UC_SEND_ONLY;
    Path path = qp.peer().path();
    long[] ends = {path.remoteHigh(), path.remoteLow(), path.localHigh(), path.localLow()};
    int strange = 0;
    for (int half = 0; half < ends.length; half++) {
      for (int bit = 0; bit < Long.SIZE; bit++) {
        long[] other = ends.clone();
        other[half] ^= 1L << bit;
        say(
            qp,
            opcode,
            0xffff,
            0,
            new Inbound().source(other[0], other[1], 1).local(other[2], other[3]));
        assertEquals(++strange, host.counters().get(Counter.WRONG_ADDRESS), half + "." + bit);
      }
    }
    say(qp, opcode, 0xffff, 0, new Inbound().source(ends[0], ends[1], 1).local(ends[2], ends[3]));
    assertEquals(strange, host.counters().get(Counter.WRONG_ADDRESS));
  }

  @ParameterizedTest(name = "own {0}, of the datagram {1}: taken {2}")
  @CsvSource({
    "0xffff, 0xffff, true",
    "0xffff, 0x7fff, true",
    "0x7fff, 0xffff, true",
    "0x7fff, 0x7fff, false",
    "0x8123, 0x0123, true",
    "0x8123, 0xffff, false",
    "0x8000, 0x8000, false",
    "0x8000, 0x0000, false"
  })
  void takesDatagramsOfItsPartitionUnlessBothAreLimitedMembers(int own, int pkey, boolean taken) {
    host.pkey = own;
    QpMachine qp = machine(QpType.UD);
    modify(qp, new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
    modify(qp, new QpAttr().qpState(QpState.RTR));
    say(qp, Opcode.UD_SEND_ONLY, pkey, 10);
    assertEquals(taken ? 0 : 1, host.counters().get(Counter.BAD_PKEY));
    assertEquals(taken ? 1 : 0, host.counters().get(Counter.OUT_OF_BUFFER), "it found no receive");
  }

  @ParameterizedTest(name = "{0} ports, heard at {1}: taken {2}")
  @CsvSource({"2, 1, true", "2, 2, false", "1, 0, true"})
  void takesDatagramsOfItsPortAlone(int ports, int heardAt, boolean taken) {
    host.ports = ports;
    host.heardAt = heardAt;
    QpMachine qp = machine(QpType.UD);
    modify(qp, new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
    modify(qp, new QpAttr().qpState(QpState.RTR));
    say(qp, Opcode.UD_SEND_ONLY, 0xffff, 10);
    assertEquals(taken ? 0 : 1, host.counters().get(Counter.WRONG_ADDRESS));
    assertEquals(taken ? 1 : 0, host.counters().get(Counter.OUT_OF_BUFFER), "it found no receive");
  }

  @Test
  void anAttributeThatIsNotGivenStays() {
    QpMachine qp = reliable();
    modify(qp, new QpAttr().pathMigState(MigState.REARM));
    modify(qp, new QpAttr().qpState(QpState.SQD).enSqdAsyncNotify(true));
    assertEquals(MigState.REARM, qp.query().pathMigState());
  }

  @ParameterizedTest
  @EnumSource(names = {"RC", "UC", "UD"})
  void ofAPsnTheLast24BitsCount(QpType type) {
    QpMachine qp = connected(type, attributes().rqPsn(0x7f00_0005).sqPsn(0x8100_0007));
    assertEquals(type == QpType.UD ? 0 : 5, qp.query().rqPsn());
    assertEquals(7, qp.query().sqPsn());
  }

  @Test
  void knowsItsType() {
    for (QpType type : new QpType[] {QpType.RC, QpType.UC, QpType.UD}) {
      assertSame(type, machine(type).type());
    }
  }

  @Test
  void whoPostsWhileItIsDestroyedFindsItInReset() {
    QpMachine qp = reliable();
    qp.retired();
    assertEquals(QpState.RESET, qp.state());
  }

  @Test
  void failsWhenAnotherEngineHasAskedForIt() {
    QpMachine qp = reliable();
    qp.rung();
    assertEquals(QpState.RTS, qp.state());
    qp.requestFailure();
    assertEquals(QpState.RTS, qp.state(), "its own engine does it");
    qp.rung();
    assertEquals(QpState.ERR, qp.state());
    assertTrue(qp.failures().cause().startsWith("a completion queue of it overflowed"));
    modify(qp, new QpAttr().qpState(QpState.RESET));
    modify(qp, new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0));
    qp.rung();
    assertEquals(QpState.INIT, qp.state(), "it was asked for once");
    QpMachine reset = machine(QpType.RC);
    reset.requestFailure();
    reset.rung();
    assertEquals(QpState.RESET, reset.state());
  }

  @Test
  void aDatagramIsNoLongerThanThePortAllows() {
    host.portMtu = 1024;
    QpMachine qp = machine(QpType.UD);
    modify(qp, new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
    modify(qp, new QpAttr().qpState(QpState.RTR));
    say(qp, Opcode.UD_SEND_ONLY, 0xffff, 1025);
    assertEquals(1, host.counters().get(Counter.MALFORMED));
    assertEquals(0, host.counters().get(Counter.OUT_OF_BUFFER));
    say(qp, Opcode.UD_SEND_ONLY, 0xffff, 1024);
    assertEquals(1, host.counters().get(Counter.OUT_OF_BUFFER));
  }

  @Test
  void eachChangeOfStateIsTracedOnce() {
    QpMachine qp = reliable();
    for (String to : List.of("RTS", "SQD", "SQD", "RTS", "ERR", "ERR", "RESET", "RESET")) {
      modify(qp, new QpAttr().qpState(QpState.valueOf(to)));
    }
    assertEquals(
        List.of("RESET INIT", "INIT RTR", "RTR RTS", "RTS SQD", "SQD RTS", "RTS ERR", "ERR RESET"),
        host.changesOfState);
  }

  @ParameterizedTest
  @CsvSource({"RTS, true", "SQD, true", "ERR, false", "RESET, false"})
  void aRateIsTakenInTheStatesThatSend(QpState state, boolean taken) {
    QpMachine qp = reliable();
    modify(qp, new QpAttr().qpState(state));
    QpRateLimitAttr limit = new QpRateLimitAttr(8);
    if (taken) {
      qp.rateLimit(limit);
      assertEquals(8, qp.query().rateLimit());
    } else {
      assertEquals(
          Errno.EINVAL, assertThrows(VerbsException.class, () -> qp.rateLimit(limit)).errno());
    }
  }

  @Test
  void whatIsOutstandingDrainsInSqdAlone() {
    QpMachine qp = reliable();
    post(qp, 1);
    assertEquals(TransmitOutcome.IDLE, qp.transmit(0, new Transmit(ByteBuffer.allocate(4096), 8)));
    assertFalse(qp.query().sqDraining());
    modify(qp, new QpAttr().qpState(QpState.SQD));
    assertTrue(qp.query().sqDraining());
  }

  /** A field outside the mask may have the value of an earlier call. */
  @ParameterizedTest
  @CsvSource({"true, true, 1", "true, false, 0", "false, true, 0"})
  void theEndOfDrainingIsToldIfAskedFor(boolean named, boolean wanted, int told) {
    QpMachine qp = reliable();
    QpAttr attr = new QpAttr().qpState(QpState.SQD).enSqdAsyncNotify(wanted);
    qp.modify(attr, QpAttrMask.STATE | (named ? QpAttrMask.EN_SQD_ASYNC_NOTIFY : 0));
    qp.transmit(0, new Transmit(ByteBuffer.allocate(4096), 8));
    assertEquals(told, events.size(), events::toString);
  }

  /** Both ends and switches compute the same port. */
  @Test
  void itsSourcePortIsThatOfBothNumbers() {
    assertEquals(UdpSourcePort.ofConnection(0, 18, QPN), reliable().peer().sourcePortHint());
  }

  @Test
  void anotherIndexAloneIsAnotherKey() {
    host.otherPkey = 0x8123;
    QpMachine qp = machine(QpType.UD);
    modify(qp, new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
    modify(qp, new QpAttr().qpState(QpState.INIT).pkeyIndex(1));
    assertEquals(0x8123, qp.peer().pkey());
  }

  /** Posts SENDs without bytes: packets of 16 bytes, which take 16 ms each at 8 kbit/s. */
  private void post(QpMachine qp, int sends) {
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0).add();
    for (int i = 0; i < sends; i++) {
      sendQueue.fill(sendQueue.claim(), list.memory(), 0, WrOpcode.SEND);
      sendQueue.filled();
      sendQueue.publish();
    }
    qp.rung();
  }

  /** The packets of a turn with an empty train. */
  private static int sent(QpMachine qp, double atMs) {
    Transmit train = new Transmit(ByteBuffer.allocate(4096), 8);
    qp.transmit((long) (atMs * 1e6), train);
    qp.sent((long) (atMs * 1e6));
    return train.segments();
  }

  @ParameterizedTest(name = "a burst of {0} bytes of packets of {1}: {2}")
  @CsvSource({"0, 0, 1", "256, 0, 1", "511, 0, 1", "512, 0, 2", "300, 100, 3", "9999, 1, 4"})
  void aBurstWaitsForTheTimeOfItsPackets(int bytes, int packet, int burst) {
    QpMachine qp = connected(QpType.UC);
    qp.rateLimit(new QpRateLimitAttr(8, bytes, packet));
    post(qp, 4);
    assertEquals(burst, sent(qp, 0));
    if (burst < 4) {
      assertEquals(burst * 16_000_000L, host.deadlines().nextNs());
      assertEquals(0, sent(qp, burst * 16 - 0.001));
      assertEquals(Math.min(burst, 4 - burst), sent(qp, burst * 16));
    }
  }

  /** A turn may be late: up to a millisecond is made up for, so that the rate is reached. */
  @ParameterizedTest(name = "late by {0} ms: the next burst at {1} ms")
  @CsvSource({"0, 32", "0.5, 32", "1, 32", "1.5, 32.5", "5, 36"})
  void aLateTurnIsMadeUpForWithinBounds(double lateMs, double nextMs) {
    QpMachine qp = connected(QpType.UC);
    qp.rateLimit(new QpRateLimitAttr(8));
    post(qp, 4);
    assertEquals(1, sent(qp, 0));
    assertEquals(1, sent(qp, 16 + lateMs));
    assertEquals(0, sent(qp, nextMs - 0.001));
    assertEquals(1, sent(qp, nextMs));
  }

  /** Idle time is no credit. */
  @Test
  void aRateBeginsAnewWhenNothingWaited() {
    QpMachine qp = connected(QpType.UC);
    qp.rateLimit(new QpRateLimitAttr(8));
    post(qp, 1);
    assertEquals(1, sent(qp, 0));
    post(qp, 2);
    assertEquals(1, sent(qp, 100));
    assertEquals(0, sent(qp, 115.999));
    assertEquals(1, sent(qp, 116));
  }

  @Test
  void aRateEndsWithItsLastRequestAndWithItsQueuePair() {
    QpMachine qp = connected(QpType.UC);
    qp.rateLimit(new QpRateLimitAttr(8));
    post(qp, 2);
    assertEquals(1, sent(qp, 0));
    assertTrue(qp.maySend());
    assertEquals(1, sent(qp, 16));
    assertFalse(qp.maySend(), "nothing is left to send");
    post(qp, 2);
    assertEquals(1, sent(qp, 32));
    assertTrue(Deadlines.isSet(host.deadlines().nextNs()));
    modify(qp, new QpAttr().qpState(QpState.ERR));
    assertEquals(Deadlines.NEVER, host.deadlines().nextNs());
  }

  /** Requests that wait under one rate leave at once under the next, whatever delay was left. */
  @ParameterizedTest(name = "{0} kbit/s, then {1} kbit/s: the next packet {2} ms after that")
  @CsvSource({"8, 16, 8", "8, 8000, 0.016", "16, 8, 16", "8, 8, 16", "8, 0, 0"})
  void aRateThatChangesOwesNothingOfTheOneBefore(int before, int after, double eachMs) {
    QpMachine qp = connected(QpType.UC);
    qp.rateLimit(new QpRateLimitAttr(before));
    post(qp, 4);
    assertEquals(1, sent(qp, 0));
    qp.rateLimit(new QpRateLimitAttr(after));
    if (after == 0) {
      assertEquals(3, sent(qp, 1));
    } else {
      assertEquals(1, sent(qp, 1));
      assertEquals(0, sent(qp, 1 + eachMs - 0.001));
      assertEquals(1, sent(qp, 1 + eachMs));
    }
  }

  /** The bound of a burst ends with the queue pair's turn. */
  @Test
  void othersFindRoomInTheTrainOfABurst() {
    QpMachine qp = connected(QpType.UC);
    qp.rateLimit(new QpRateLimitAttr(8));
    post(qp, 2);
    Transmit train = new Transmit(ByteBuffer.allocate(4096), 8);
    assertEquals(TransmitOutcome.IDLE, qp.transmit(0, train));
    assertTrue(qp.maySend(), "the second packet waits");
    assertEquals(1, train.segments());
    assertEquals(16, train.claim(qp.peer().path(), 0, 16));
  }

  @Test
  void aFullTrainEndsABurstWhichGoesOnInTheNext() {
    QpMachine qp = connected(QpType.UC);
    qp.rateLimit(new QpRateLimitAttr(1 << 30, 1024, 256));
    post(qp, 4);
    Transmit train = new Transmit(ByteBuffer.allocate(4096), 2);
    assertEquals(TransmitOutcome.FULL, qp.transmit(0, train));
    assertEquals(2, train.segments());
    assertTrue(qp.maySend());
    train.clear();
    train.claim(null, 0, 16); // to another address
    train.commit(16);
    assertEquals(TransmitOutcome.FULL, qp.transmit(10, train));
    assertEquals(1, train.segments());
    train.clear();
    assertEquals(TransmitOutcome.IDLE, qp.transmit(10, train));
    assertEquals(2, train.segments());
    assertFalse(qp.maySend());
  }

  @ParameterizedTest
  @EnumSource(
      value = QpState.class,
      names = {"ERR", "RESET"})
  void hasNothingInFlightAfterItsEnd(QpState end) {
    QpMachine qp = reliable();
    post(qp, 3);
    assertEquals(3, sent(qp, 0));
    assertEquals(0, qp.inFlight().oldestPsn());
    assertTrue(Deadlines.isSet(host.deadlines().nextNs()));
    modify(qp, new QpAttr().qpState(end));
    InFlight left = qp.inFlight();
    assertEquals(3, left.oldestPsn());
    assertEquals(3, left.nextPsn());
    assertEquals(Deadlines.NEVER, left.ackDueNs());
    assertEquals(Deadlines.NEVER, host.deadlines().nextNs());
  }

  @Test
  void anUnreliableOneWaitsForNothing() {
    QpMachine qp = connected(QpType.UC);
    post(qp, 3);
    assertEquals(3, sent(qp, 0));
    assertEquals(new InFlight(3, 3, 3, 0, 0, Deadlines.NEVER, Deadlines.NEVER, 0), qp.inFlight());
  }

  private static void say(QpMachine qp, Opcode opcode, int pkey, int payload) {
    say(qp, opcode, pkey, payload, new Inbound());
  }

  private static void say(QpMachine qp, Opcode opcode, int pkey, int payload, Inbound inbound) {
    int size = OutboundPacket.size(opcode, payload);
    ByteBuffer buffer = ByteBuffer.allocateDirect(size);
    Bth.put(buffer, 0, opcode.code(), false, OutboundPacket.pad(payload), pkey, QPN, false, 0);
    if (opcode == Opcode.UD_SEND_ONLY) {
      Deth.put(buffer, opcode.dethAt(), QKEY, 18);
    }
    InboundPacket packet = new InboundPacket();
    packet.decode(buffer, 0, size);
    qp.handlePacket(0, packet, inbound.payload(buffer, MemorySegment.ofBuffer(buffer), 0, size));
  }
}
