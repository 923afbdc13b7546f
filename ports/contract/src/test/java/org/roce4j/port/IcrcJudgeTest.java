package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.UdpSourcePort;

class IcrcJudgeTest {
  private static final int UDP_PORT = 4791;
  private static final int SOURCE_PORT = 0xC123;
  private static final int LENGTH = 60;
  private static final long MS = 1_000_000;
  private static final Gid PEER = Gid.parse("10.0.0.2");
  private static final Gid US = Gid.parse("10.0.0.1");

  private final Counters counters = new Counters();
  private final IcrcJudge judge = new IcrcJudge(counters, UDP_PORT, true);
  private final Icrc icrc = new Icrc();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
  private final Inbound inbound = new Inbound();
  private long nowNs = 77 * MS;

  @BeforeEach
  void addressed() {
    inbound
        .payload(buffer, MemorySegment.ofBuffer(buffer), 8, LENGTH)
        .source(PEER.high(), PEER.low(), SOURCE_PORT)
        .local(US.high(), US.low());
  }

  /** Writes a packet that the network has carried with this identification. */
  private void packet(int identification) {
    packet(SOURCE_PORT, identification);
  }

  private void packet(int sourcePort, int identification) {
    for (int i = 0; i < LENGTH; i++) {
      buffer.put(8 + i, (byte) (i * 7 + identification));
    }
    Icrc.write(
        buffer,
        8 + LENGTH - 4,
        icrc.ofIpv4(
            GidAddress.ipv4(inbound.sourceLow()),
            GidAddress.ipv4(inbound.localLow()),
            sourcePort,
            UDP_PORT,
            identification & 0xFFFF,
            buffer,
            8,
            LENGTH));
  }

  private IcrcVerdict verdict(int identification) {
    return verdict(identification, 0);
  }

  private IcrcVerdict verdictFrom(int sourcePort, int identification) {
    inbound.source(PEER.high(), PEER.low(), sourcePort);
    packet(sourcePort, identification);
    return judge.judge(inbound, 0, nowNs);
  }

  private IcrcVerdict verdict(int identification, int trainIndex) {
    packet(identification);
    return judge.judge(inbound, trainIndex, nowNs);
  }

  @Test
  void emulatorsAreRightFromTheFirstPacket() {
    assertEquals(IcrcVerdict.RIGHT, verdict(0));
    for (int k = 0; k < 64; k++) {
      assertEquals(IcrcVerdict.RIGHT, verdict(k, k));
    }
    assertEquals(IcrcVerdict.RIGHT, verdict(0));
    assertEquals(0, counters.get(Counter.ICRC_SOLVED));
  }

  @Test
  void trainsThatArriveSinglyOrJoinedElsewhereAreRight() {
    for (int k = 0; k < 15; k++) {
      assertEquals(IcrcVerdict.RIGHT, verdict(k), "segment " + k);
    }
    assertEquals(IcrcVerdict.RIGHT, verdict(0));
    assertEquals(IcrcVerdict.RIGHT, verdict(7, 0));
    assertEquals(IcrcVerdict.RIGHT, verdict(8, 1));
    assertEquals(IcrcVerdict.RIGHT, verdict(1));
  }

  /** A sender that was never heard may be an emulator whose train came in parts. */
  @ParameterizedTest
  @CsvSource({"0, RIGHT", "63, RIGHT", "64, SOLVED", "65535, SOLVED"})
  void aFirstIdentificationWithinATrainIsRight(int identification, IcrcVerdict verdict) {
    assertEquals(verdict, verdict(identification));
  }

  @Test
  void aRunningCounterIsLearnedAndThenForeseen() {
    assertEquals(IcrcVerdict.SOLVED, verdict(65530));
    for (int id = 65531; id < 65560; id++) {
      assertEquals(IcrcVerdict.RIGHT, verdict(id));
    }
    assertEquals(1, counters.get(Counter.ICRC_SOLVED));
    assertEquals(0, counters.get(Counter.ICRC_ERROR));
  }

  @Test
  void gapsAndReorderingWithinTheWindowsAreRight() {
    verdict(1000);
    assertEquals(IcrcVerdict.RIGHT, verdict(1000 + IdentificationHabit.FORWARD));
    assertEquals(
        IcrcVerdict.RIGHT,
        verdict(1000 + IdentificationHabit.FORWARD - IdentificationHabit.BACKWARD));
    assertEquals(IcrcVerdict.RIGHT, verdict(1000 + 2 * IdentificationHabit.FORWARD));
  }

  /** The peer's counter has this value, and nothing has contradicted it for long enough. */
  private void heldAt(int identification) {
    verdict(identification);
    nowNs += IdentificationHabit.HELD_NS;
    assertEquals(IcrcVerdict.RIGHT, verdict(identification));
  }

  @Test
  void aJumpCostsOnePacketAndIsFollowed() {
    heldAt(1000);
    assertEquals(IcrcVerdict.WRONG, verdict(30000));
    assertEquals(IcrcVerdict.SOLVED, verdict(30001));
    assertEquals(IcrcVerdict.RIGHT, verdict(30002));
    assertEquals(1, counters.get(Counter.ICRC_ERROR));
  }

  @Test
  void aHabitOfLessThanASecondIsHeldAgainstNoPacket() {
    verdict(1000);
    nowNs += IdentificationHabit.HELD_NS - 1;
    verdict(1001);
    assertEquals(IcrcVerdict.SOLVED, verdict(30000));
    assertEquals(IcrcVerdict.RIGHT, verdict(30001));
  }

  @Test
  void aStrayASecondBetweenRightPacketsIsRefused() {
    heldAt(1000);
    for (int i = 1; i < 20; i++) {
      assertEquals(IcrcVerdict.WRONG, verdict(30000 + i));
      nowNs += IdentificationHabit.HELD_NS;
      assertEquals(IcrcVerdict.RIGHT, verdict(1000 + i));
    }
  }

  @Test
  void aStrayAmongMuchDamageIsRefusedSooner() {
    verdict(1000);
    for (int i = 0; i < IdentificationHabit.DAMAGED; i++) {
      packet(1000);
      buffer.put(20, (byte) ~buffer.get(20));
      assertEquals(IcrcVerdict.WRONG, judge.judge(inbound, 0, nowNs));
    }
    assertEquals(IcrcVerdict.WRONG, verdict(30000));
    assertEquals(IcrcVerdict.SOLVED, verdict(30001));
  }

  @Test
  void aPauseWidensTheWindowByOnePerMillisecond() {
    verdict(1000);
    nowNs += 2000 * MS;
    assertEquals(IcrcVerdict.WRONG, verdict(1000 + IdentificationHabit.FORWARD + 2001));
    assertEquals(IcrcVerdict.SOLVED, verdict(1000 + IdentificationHabit.FORWARD + 2000));
    nowNs += 40_000 * MS;
    assertEquals(IcrcVerdict.SOLVED, verdict(50_000));
  }

  /** The first jump after a pause: after a refusal the next packet would pass with any value. */
  @ParameterizedTest
  @CsvSource({
    "0, 0, RIGHT",
    "0, 1, WRONG",
    "1, 1, SOLVED",
    "1, 2, WRONG",
    "2000, 2000, SOLVED",
    "2000, 2001, WRONG",
    "32767, 33000, WRONG",
    "32768, 33000, SOLVED",
  })
  void aJumpMayBeAsFarAsThePauseWasLong(int pauseMs, int beyond, IcrcVerdict due) {
    heldAt(1000);
    nowNs += pauseMs * MS;
    assertEquals(due, verdict(1000 + IdentificationHabit.FORWARD + beyond));
  }

  @Test
  void aPeerWithoutAnyOrderIsBelieved() {
    SplittableRandom random = new SplittableRandom(4791);
    for (int i = 0; i < 1000; i++) {
      nowNs += MS;
      assertTrue(verdict(1 + random.nextInt(65535)).acceptable());
    }
    assertEquals(0, counters.get(Counter.ICRC_ERROR));
  }

  @Test
  void anErraticPeerThatCalmsDownIsHeldToItsOrderAgain() {
    int[] wild = {9000, 40000, 20000, 60000, 3000, 30000};
    for (int id : wild) {
      verdict(id);
    }
    for (int i = 1; i < 10; i++) {
      assertEquals(IcrcVerdict.RIGHT, verdict(30000 + i));
      nowNs += IdentificationHabit.HELD_NS / 9;
    }
    nowNs += 9;
    assertEquals(IcrcVerdict.WRONG, verdict(50000));
  }

  @Test
  void manySourcesAreBoundedAndEachIsJudged() {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 5000; i++) {
        inbound.source(0, GidAddress.ipv4Mapped(0x0A010000 + i), SOURCE_PORT);
        nowNs += 1000;
        assertTrue(verdict(700 * round % 400 + i + 100).acceptable());
        buffer.put(20, (byte) ~buffer.get(20));
        assertEquals(IcrcVerdict.WRONG, judge.judge(inbound, 0, nowNs));
      }
    }
  }

  @Test
  void aPeerThatIsHeardAllTheTimeIsRememberedAmongManyStrangers() {
    heldAt(30_000);
    for (int i = 0; i < 5000; i++) {
      nowNs += 1000;
      inbound.source(0, GidAddress.ipv4Mapped(0x0A010000 + i), SOURCE_PORT);
      verdict(40_000);
      nowNs += 1000;
      inbound.source(PEER.high(), PEER.low(), SOURCE_PORT);
      assertEquals(IcrcVerdict.RIGHT, verdict(30_010 + i), "after " + i + " strangers");
    }
  }

  @Test
  void damageOnAPathInUsePassesFarLessOftenThanBySolvingAlone() {
    SplittableRandom random = new SplittableRandom(1);
    int mutations = 1_000_000;
    int passed = 0;
    int solvable = 0;
    int id = 1000;
    verdict(id);
    for (int i = 0; i < mutations; i++) {
      if (i % 16 == 0) {
        id = id + 1 & 0xFFFF;
        assertEquals(IcrcVerdict.RIGHT, verdict(id));
      }
      for (int n = 0; n < 3; n++) {
        // The byte of FECN and BECN is masked: a change of that byte alone is no damage.
        int at = 8 + 5 + random.nextInt(LENGTH - 5 - 4);
        buffer.putInt(at, buffer.getInt(at) ^ (random.nextInt() | 1));
      }
      if (icrc.solveIdentification(PEER.ipv4(), US.ipv4(), SOURCE_PORT, UDP_PORT, buffer, 8, LENGTH)
          >= 0) {
        solvable++;
      }
      if (judge.judge(inbound, 0, nowNs).acceptable()) {
        passed++;
      }
    }
    assertTrue(solvable >= 3, "solving alone would pass " + solvable);
    assertTrue(passed <= 1, "passed " + passed);
  }

  @Test
  void ipv6IsComparedInFull() {
    Gid peer = Gid.parse("fd00::2");
    Gid us = Gid.parse("fd00::1");
    inbound.source(peer.high(), peer.low(), SOURCE_PORT).local(us.high(), us.low());
    for (int i = 0; i < LENGTH; i++) {
      buffer.put(8 + i, (byte) i);
    }
    int right =
        icrc.ofIpv6(
            peer.high(), peer.low(), us.high(), us.low(), SOURCE_PORT, UDP_PORT, buffer, 8, LENGTH);
    Icrc.write(buffer, 8 + LENGTH - 4, right);
    assertEquals(IcrcVerdict.RIGHT, judge.judge(inbound, 0, nowNs));
    for (int bit = 0; bit < LENGTH * 8; bit++) {
      int at = 8 + bit / 8;
      if (bit / 8 == 4) {
        continue;
      }
      buffer.put(at, (byte) (buffer.get(at) ^ 1 << bit % 8));
      assertEquals(IcrcVerdict.WRONG, judge.judge(inbound, 0, nowNs), "bit " + bit);
      buffer.put(at, (byte) (buffer.get(at) ^ 1 << bit % 8));
    }
  }

  @Test
  void fragmentsOfPacketsAreWrong() {
    for (int length = 0; length < 16; length++) {
      inbound.payload(buffer, MemorySegment.ofBuffer(buffer), 8, length);
      assertEquals(IcrcVerdict.WRONG, judge.judge(inbound, 0, nowNs));
    }
  }

  /** The verdict is told to the sink with the datagram. */
  @Test
  void aDamagedPacketOfAStrangerIsWrong() {
    packet(1000);
    buffer.put(20, (byte) ~buffer.get(20));
    assertEquals(IcrcVerdict.WRONG, judge.judge(inbound, 0, nowNs));
    assertEquals(IcrcVerdict.WRONG, inbound.icrc());
    assertEquals(IcrcVerdict.SOLVED, verdict(1000));
    assertEquals(IcrcVerdict.SOLVED, inbound.icrc());
  }

  /** Linux has a counter for each pair of addresses. */
  @Test
  void eachOfOurAddressesHasAHabitOfAPeer() {
    Gid other = Gid.parse("10.0.0.3");
    heldAt(1000);
    inbound.local(other.high(), other.low());
    assertEquals(IcrcVerdict.SOLVED, verdict(30_000));
    inbound.local(US.high(), US.low());
    assertEquals(IcrcVerdict.RIGHT, verdict(1001));
  }

  /** Nothing but a header and an ICRC, as an acknowledgement without its AETH. */
  @Test
  void theShortestPacketIsJudged() {
    Gid us = Gid.parse("fd00::1");
    inbound.local(us.high(), us.low()).source(us.high(), us.low(), SOURCE_PORT);
    for (int length : new int[] {15, 16}) {
      inbound.payload(buffer, MemorySegment.ofBuffer(buffer), 8, length);
      int right =
          icrc.ofIpv6(
              us.high(), us.low(), us.high(), us.low(), SOURCE_PORT, UDP_PORT, buffer, 8, length);
      Icrc.write(buffer, 8 + length - 4, right);
      IcrcVerdict due = length < 16 ? IcrcVerdict.WRONG : IcrcVerdict.RIGHT;
      assertEquals(due, judge.judge(inbound, 0, nowNs), length + " bytes");
    }
  }

  /** Each connected socket counts its datagrams from a random number on. */
  @Test
  void everySocketOfAPeerHasAHabitOfItsOwn() {
    int[] ports = {UDP_PORT, 0x8000, 0x8001, UdpSourcePort.MIN - 1};
    int[] next = {0, 5000, 25_000, 45_000};
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < ports.length; i++) {
        nowNs += IdentificationHabit.HELD_NS;
        boolean known = round > 0 || i == 0;
        assertEquals(
            known ? IcrcVerdict.RIGHT : IcrcVerdict.SOLVED, verdictFrom(ports[i], next[i]++));
      }
    }
    assertEquals(IcrcVerdict.WRONG, verdictFrom(0x8000, 25_000), "that of another socket");
  }

  /** Network cards and rxe have one counter for all source ports. */
  @ParameterizedTest
  @CsvSource({"49152, 65535", "49152, 0"})
  void thePortsOfNetworkCardsShareAHabit(int one, int other) {
    assertEquals(IcrcVerdict.SOLVED, verdictFrom(one, 5000));
    nowNs += IdentificationHabit.HELD_NS;
    assertEquals(IcrcVerdict.RIGHT, verdictFrom(other, 5001));
    assertEquals(IcrcVerdict.WRONG, verdictFrom(other, 25_000));
  }

  @Test
  void uncheckedMeansUncheckedAndUncounted() {
    IcrcJudge lenient = new IcrcJudge(counters, UDP_PORT, false);
    packet(4000);
    assertEquals(IcrcVerdict.UNCHECKED, lenient.judge(inbound, 0, nowNs));
    assertEquals(0, counters.get(Counter.ICRC_SOLVED));
  }

  /** Packets of Linux rxe 6.12: consecutive identifications, with jumps after pauses. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "rc_read",
        "rc_write",
        "rc_send_multi",
        "uc_send_multi",
        "ud_send_ipv6",
        "rsocket_rstream"
      })
  void everyCapturedPacketOfRxeIsAccepted(String name) throws IOException {
    int packets = 0;
    int solved = 0;
    try (InputStream in = getClass().getResourceAsStream("/pcaps/" + name + ".pcap")) {
      ByteBuffer file = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
      int record = 24;
      while (record < file.limit()) {
        nowNs = file.getInt(record) * 1_000_000_000L + file.getInt(record + 4) * 1000L;
        int captured = file.getInt(record + 8);
        int ip = record + 16 + 14;
        ByteBuffer frame = file.duplicate().order(ByteOrder.BIG_ENDIAN);
        int udp;
        if ((frame.get(ip) & 0xF0) == 0x60) {
          udp = ip + 40;
          inbound
              .source(frame.getLong(ip + 8), frame.getLong(ip + 16), frame.getShort(udp) & 0xFFFF)
              .local(frame.getLong(ip + 24), frame.getLong(ip + 32));
        } else {
          udp = ip + 20;
          inbound
              .source(0, GidAddress.ipv4Mapped(frame.getInt(ip + 12)), frame.getShort(udp) & 0xFFFF)
              .local(0, GidAddress.ipv4Mapped(frame.getInt(ip + 16)));
        }
        if ((frame.getShort(udp + 2) & 0xFFFF) == UDP_PORT) {
          inbound.payload(
              frame, MemorySegment.ofBuffer(frame), udp + 8, frame.getShort(udp + 4) - 8);
          IcrcVerdict verdict = judge.judge(inbound, 0, nowNs);
          assertTrue(verdict.acceptable(), name + " packet " + packets);
          packets++;
          solved += verdict == IcrcVerdict.SOLVED ? 1 : 0;
        }
        record += 16 + captured;
      }
    }
    assertTrue(packets >= 4, packets + " packets");
    assertTrue(solved <= 2, "each direction is learned once, not " + solved);
  }
}
