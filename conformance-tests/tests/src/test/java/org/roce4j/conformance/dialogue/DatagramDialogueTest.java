package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.ud;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.capture.RocePacket;

/** UD (rc-transport 8; R6, R15): one packet a message, the network header before it. */
@Holds(Rule.UD)
class DatagramDialogueTest {
  private static final int QKEY = 0x1234;
  private static final int GRH = 40;
  private static final int PEER = QpUnderTest.PEER_QPN;

  private QpUnderTest qp = ud().qkey(QKEY).inRts();
  private Dialogue d = qp.dialogue;
  private DatagramPackets peer = new DatagramPackets(qp.qp.qpNum(), PEER, QKEY, 0);
  private DatagramPackets here = new DatagramPackets(PEER, qp.qp.qpNum(), QKEY, 0x111111);

  private void begin(QpSetup setup) {
    qp.close();
    qp = setup.inRts();
    d = qp.dialogue;
    peer = new DatagramPackets(qp.qp.qpNum(), PEER, QKEY, 0);
    here = new DatagramPackets(PEER, qp.qp.qpNum(), QKEY, 0x111111);
  }

  @AfterEach
  void close() {
    qp.close();
  }

  private void postsSend(long wrId, int bytes, int remoteQkey) {
    AddressHandle ah = qp.pd.createAh(AhAttr.roce(qp.wire.address(), 0));
    qp.posts(qp.request(wrId, WrOpcode.SEND).ud(ah, PEER, remoteQkey).sge(qp.region, 0, bytes));
  }

  private byte[] header() {
    return qp.memory.asSlice(QpUnderTest.HALF, GRH).toArray(ValueLayout.JAVA_BYTE);
  }

  // ---- receiving

  @Test
  @DisplayName("IPv4: bytes 0..19 are empty, 20..39 the IPv4 header; the message follows")
  void putsTheIpv4HeaderBeforeTheMessage() {
    qp.postsReceive(1, 200);
    d.says(peer.send(0).bytes(0, 100).trafficClass(0xb9).hopLimit(17));
    qp.received(1, 140);
    assertEquals(WcFlags.GRH, qp.lastCompletion().flags(0));
    assertEquals(PEER, qp.lastCompletion().sourceQp(0));
    byte[] header = header();
    assertArrayEquals(new byte[20], Arrays.copyOf(header, 20));
    String total = HexFormat.of().toHexDigits((short) (20 + 8 + 12 + 8 + 100 + 4));
    assertEquals("45b9" + total + "0000" + "4000" + "1111", hex(header, 20, 30));
    assertEquals("0a0000020a000001", hex(header, 32, 40));
    assertEquals(0, checksum(header), "the IPv4 checksum is right");
    for (int i = 0; i < 100; i++) {
      assertEquals(
          Pattern.at(i), qp.memory.get(ValueLayout.JAVA_BYTE, QpUnderTest.HALF + GRH + (long) i));
    }
  }

  private static String hex(byte[] header, int from, int to) {
    return HexFormat.of().formatHex(header, from, to);
  }

  private static int checksum(byte[] header) {
    int sum = 0;
    for (int i = 20; i < 40; i += 2) {
      sum += (header[i] & 0xff) << 8 | header[i + 1] & 0xff;
    }
    sum = (sum & 0xffff) + (sum >>> 16);
    return ~sum & 0xffff;
  }

  @Test
  @DisplayName("IPv6: the 40 bytes are the IPv6 header")
  void putsTheIpv6HeaderBeforeTheMessage() {
    begin(ud().qkey(QKEY).addresses("fd00::1", "fd00::2"));
    qp.postsReceive(1, 200);
    d.says(peer.send(0).bytes(0, 100).trafficClass(0xb9).hopLimit(17));
    qp.received(1, 140);
    byte[] header = header();
    String length = HexFormat.of().toHexDigits((short) (8 + 12 + 8 + 100 + 4));
    assertEquals("6b900000" + length + "1111", hex(header, 0, 8));
    assertArrayEquals(Gid.parse("fd00::2").toBytes(), Arrays.copyOfRange(header, 8, 24));
    assertArrayEquals(Gid.parse("fd00::1").toBytes(), Arrays.copyOfRange(header, 24, 40));
  }

  @ParameterizedTest
  @CsvSource({"0x1235", "0", "0x80001234", "0x92340000"})
  void dropsAnotherQkeyAndCountsIt(String key) {
    qp.postsReceive(1, 200);
    d.says(peer.send(0, Long.decode(key).intValue()).bytes(0, 10));
    qp.nothingReceived();
    assertEquals(1, qp.counter(Counter.BAD_QKEY));
    assertEquals(1, qp.context.queryPort(1).qkeyViolationCounter());
    qp.nothingLanded();
  }

  @ParameterizedTest
  @ValueSource(ints = {0x8001, 0x0001, 0xfffe, 0x7ffe, 0x8000, 0})
  @DisplayName("a foreign P_Key: dropped and counted, the request stays")
  void dropsAForeignPartitionAndCountsIt(int pkey) {
    qp.postsReceive(1, 200);
    d.says(peer.send(0).bytes(0, 10).pkey(pkey), peer.sendImmediate(0, 7).pkey(pkey));
    qp.nothingReceived();
    assertEquals(2, qp.counter(Counter.BAD_PKEY));
    assertEquals(2, qp.context.queryPort(1).badPkeyCounter());
    qp.nothingLanded();
    d.says(peer.send(0).bytes(0, 10));
    qp.received(1, 50);
  }

  // ---- what a datagram takes along, and where it goes

  @Test
  @DisplayName("SE and immediate data travel with a datagram")
  void sendsSolicitedAndImmediate() {
    AddressHandle ah = qp.pd.createAh(AhAttr.roce(qp.wire.address(), 0));
    qp.posts(
        qp.request(1, WrOpcode.SEND_WITH_IMM)
            .flags(SendFlags.SIGNALED | SendFlags.SOLICITED)
            .immediate(0x11223344)
            .ud(ah, PEER, QKEY)
            .sge(qp.region, 0, 10));
    d.hears(here.sendImmediate(0, 0x11223344).bytes(0, 10).solicited());
    qp.sent(1, WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("each datagram goes to its own destination, from queue pair to queue pair")
  void sendsEachToItsOwnDestination() {
    AddressHandle near = qp.pd.createAh(AhAttr.roce(qp.wire.address(), 0));
    AddressHandle far = qp.pd.createAh(AhAttr.roce(Gid.parse("10.0.0.3"), 0));
    AddressHandle[] handles = {near, far, far, near};
    for (int i = 0; i < handles.length; i++) {
      qp.posts(qp.request(i, WrOpcode.SEND).ud(handles[i], PEER + i, QKEY).sge(qp.region, 0, 10));
    }
    for (int i = 0; i < handles.length; i++) {
      RocePacket packet = d.hearsSomething();
      assertEquals(handles[i] == near ? "10.0.0.2" : "10.0.0.3", packet.ip().destinationText());
      assertEquals(PEER + i, packet.bth().destQp());
    }
  }

  @Test
  @DisplayName("a source buffer that may not be used: LOC_PROT_ERR, SQE, no PSN is spent")
  @Holds(Rule.R15)
  void failsOnASourceThatMayNotBeUsed() {
    AddressHandle ah = qp.pd.createAh(AhAttr.roce(qp.wire.address(), 0));
    qp.posts(
        qp.request(1, WrOpcode.SEND)
            .ud(ah, PEER, QKEY)
            .sge(qp.region.address(), 8, ~qp.region.lkey()));
    postsSend(2, 10, QKEY);
    d.hearsNothing();
    qp.sent(1, WcStatus.LOC_PROT_ERR);
    qp.sent(2, WcStatus.WR_FLUSH_ERR);
    qp.isIn(QpState.SQE);
    qp.moves(QpState.RTS);
    postsSend(3, 10, QKEY);
    d.hears(here.send(0).bytes(0, 10));
  }

  @Test
  @DisplayName("a longer datagram behind a shorter one opens the next train; its pad is clean")
  void sendsALongerDatagramBehindAShorterOne() {
    AddressHandle ah = qp.pd.createAh(AhAttr.roce(qp.wire.address(), 0));
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 3, 1, 0);
    for (int bytes : new int[] {8, 8, 13}) {
      list.add().opcode(WrOpcode.SEND).ud(ah, PEER, QKEY).sge(qp.region, 0, bytes);
    }
    qp.posts(list);
    d.hears(here.send(0).bytes(0, 8), here.send(1).bytes(0, 8), here.send(2).bytes(0, 13));
    assertEquals(2, qp.counter(Counter.SENT_TRAINS));
  }

  @Test
  @DisplayName("query tells the PSN of the next datagram")
  void tellsItsPsn() {
    int first = qp.qp.query().sqPsn();
    postsSend(1, 10, QKEY);
    d.hears(here.send(0).bytes(0, 10));
    assertEquals(first + 1, qp.qp.query().sqPsn());
  }

  @Test
  @DisplayName("a multicast datagram is for all that are attached and have its Q_Key")
  void deliversToAllOfAGroup() {
    Gid group = Gid.parse("239.1.2.3");
    QueuePair[] members = new QueuePair[3];
    for (int i = 0; i < members.length; i++) {
      members[i] = qp.createQp();
      QpBringUp.to(QpState.RTR, members[i], QpBringUp.attributes().qkey(i == 1 ? 77 : QKEY));
      members[i].attachMulticast(group);
      RecvRequestList receive = new RecvRequestList(Arena.ofAuto(), 1, 1).add().wrId(i);
      assertEquals(0, members[i].postRecv(receive.sge(qp.region, QpUnderTest.HALF, GRH + 10)));
    }
    qp.postsReceive(9, GRH + 10);
    DatagramPackets toAll = new DatagramPackets(0xffffff, PEER, QKEY, 0);
    d.says(toAll.send(0).to(group).bytes(0, 10).pkey(0x8001));
    qp.nothingReceived();
    assertEquals(members.length, qp.counter(Counter.BAD_PKEY), "each member drops it");
    d.says(toAll.send(0).to(group).bytes(0, 10));
    qp.received(0, GRH + 10);
    qp.received(2, GRH + 10);
    qp.nothingReceived();
    assertEquals(1, qp.counter(Counter.BAD_QKEY));
    for (QueuePair member : members) {
      member.detachMulticast(group);
    }
  }
}
