package org.roce4j.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.path.Peer;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.wire.Bth;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;

/** Packets that a queue pair takes, by service, state, P_Key and address (transport 3). */
class PacketChecksTest {
  private static final int PKEY = 0x8123;
  private static final int LONGEST_HEADERS = 64;
  private static final Path PATH = new Path(0, 1, 2, 3, 4, 0, 64);
  private static final Set<QpState> TAKE_REQUESTS =
      EnumSet.of(QpState.RTR, QpState.RTS, QpState.SQD, QpState.SQE);
  private static final Set<QpState> TAKE_RESPONSES = EnumSet.of(QpState.RTS, QpState.SQD);

  private final TestHost device = new TestHost();
  private final Peer peer = new Peer(() -> {});

  PacketChecksTest() {
    peer.path(PATH, null, 0);
    peer.local(1, PKEY);
  }

  private Counter refusal(QpType type, QpState state, Opcode opcode, int pkey, Inbound inbound) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(LONGEST_HEADERS);
    Bth.put(bytes, 0, opcode.code(), false, 0, pkey, 17, false, 5);
    InboundPacket packet = new InboundPacket();
    assertEquals(InboundPacket.Verdict.OK, packet.decode(bytes, 0, LONGEST_HEADERS));
    inbound.payload(bytes, MemorySegment.ofBuffer(bytes), 0, LONGEST_HEADERS);
    return new PacketChecks(type, peer, device).refusal(state, packet, inbound);
  }

  private static Inbound from(long high, long low, long localHigh, long localLow) {
    return new Inbound().source(high, low, 4791).local(localHigh, localLow);
  }

  private static Inbound fromPeer() {
    return from(3, 4, 1, 2);
  }

  @ParameterizedTest
  @EnumSource
  void eachStateTakesItsPackets(QpState state) {
    assertEquals(
        TAKE_REQUESTS.contains(state) ? null : Counter.WRONG_STATE,
        refusal(QpType.RC, state, Opcode.RC_SEND_ONLY, PKEY, fromPeer()));
    assertEquals(
        TAKE_RESPONSES.contains(state) ? null : Counter.WRONG_STATE,
        refusal(QpType.RC, state, Opcode.RC_ACKNOWLEDGE, PKEY, fromPeer()));
  }

  /** The service is checked before the state. */
  @ParameterizedTest
  @CsvSource({
    "RC, UC_SEND_ONLY, false",
    "UC, UC_SEND_ONLY, true",
    "UC, RC_SEND_ONLY, false",
    "UD, RC_SEND_ONLY, false",
    "UD, UD_SEND_ONLY, true",
    "RC, XRC_SEND_ONLY, false",
    "XRC_RECV, XRC_SEND_ONLY, true",
    "XRC_RECV, XRC_ACKNOWLEDGE, false",
    "XRC_SEND, XRC_SEND_ONLY, false",
    "XRC_SEND, XRC_ACKNOWLEDGE, true",
    "XRC_SEND, RC_ACKNOWLEDGE, false"
  })
  void eachTypeTakesItsService(QpType type, Opcode opcode, boolean taken) {
    Counter otherwise = taken ? null : Counter.WRONG_SERVICE;
    assertEquals(otherwise, refusal(type, QpState.RTS, opcode, PKEY, fromPeer()));
    assertEquals(
        taken ? Counter.WRONG_STATE : Counter.WRONG_SERVICE,
        refusal(type, QpState.INIT, opcode, PKEY, fromPeer()));
  }

  @ParameterizedTest
  @CsvSource({"0x8123, true", "0x0123, true", "0x8124, false", "0x8023, false"})
  void aPartitionIsOneWithAFullMember(int pkey, boolean taken) {
    Inbound stranger = from(9, 9, 9, 9);
    assertEquals(
        taken ? Counter.WRONG_ADDRESS : Counter.BAD_PKEY,
        refusal(QpType.RC, QpState.RTS, Opcode.RC_SEND_ONLY, pkey, stranger));
  }

  @ParameterizedTest
  @CsvSource({
    "3, 4, 1, 2, true",
    "9, 4, 1, 2, false",
    "3, 9, 1, 2, false",
    "3, 4, 9, 2, false",
    "3, 4, 1, 9, false",
    "4, 3, 1, 2, false",
    "1, 2, 3, 4, false"
  })
  void aConnectionIsOfTwoAddresses(
      long high, long low, long localHigh, long localLow, boolean taken) {
    Counter otherwise = taken ? null : Counter.WRONG_ADDRESS;
    for (QpType type : new QpType[] {QpType.RC, QpType.UC}) {
      Opcode opcode = type == QpType.RC ? Opcode.RC_SEND_ONLY : Opcode.UC_SEND_ONLY;
      Inbound inbound = from(high, low, localHigh, localLow);
      assertEquals(otherwise, refusal(type, QpState.RTR, opcode, PKEY, inbound));
    }
  }
}
