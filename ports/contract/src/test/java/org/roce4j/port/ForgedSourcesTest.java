package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.Icrc;

/**
 * Datagrams with a peer's address, a right ICRC and any identification of the attacker: they may
 * cost the peer a packet a second, or one for {@value IdentificationHabit#DAMAGED} wrong ones, and
 * no wrong packet passes that would not pass a judge without memory.
 */
class ForgedSourcesTest {
  private static final int UDP_PORT = 4791;
  private static final int SOURCE_PORT = 0xC123;
  private static final int LENGTH = 60;
  private static final int AT = 8;
  private static final int US = 0x0A000001;
  private static final int PEER = 0x0A000002;
  private static final int PACKETS = 1000;
  private static final long US_NS = 1000;
  private static final long MS = 1_000_000;

  private final IcrcJudge judge = new IcrcJudge(new Counters(), UDP_PORT, true);
  private final Icrc icrc = new Icrc();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 12);
  private final Inbound inbound = new Inbound();
  private final SplittableRandom random = new SplittableRandom(15);
  private long nowNs = 77 * MS;

  /** The counter of the peer, a Linux kernel. */
  private int counter = 20_000;

  /** The attacker's own counter, if it uses one. */
  private int forged = 40_000;

  /** The identification that the attacker forges between two packets of the peer. */
  enum Forgery {
    ZERO {
      @Override
      int identification(ForgedSourcesTest test) {
        return 0;
      }
    },
    INDEX_IN_A_TRAIN {
      @Override
      int identification(ForgedSourcesTest test) {
        return test.random.nextInt(IdentificationHabit.TRAIN);
      }
    },
    ALWAYS_THE_SAME {
      @Override
      int identification(ForgedSourcesTest test) {
        return 40_000;
      }
    },
    A_COUNTER_OF_ITS_OWN {
      @Override
      int identification(ForgedSourcesTest test) {
        return ++test.forged;
      }
    },
    WITHOUT_ORDER {
      @Override
      int identification(ForgedSourcesTest test) {
        return test.random.nextInt(1 << 16);
      }
    },
    AS_FAR_AHEAD_AS_IS_PLAUSIBLE {
      @Override
      int identification(ForgedSourcesTest test) {
        return test.counter + IdentificationHabit.FORWARD;
      }
    },
    EVER_FURTHER_AHEAD {
      @Override
      int identification(ForgedSourcesTest test) {
        return test.forged += IdentificationHabit.FORWARD;
      }
    },
    JUST_TOO_FAR_AHEAD {
      @Override
      int identification(ForgedSourcesTest test) {
        return test.counter + IdentificationHabit.FORWARD + 1;
      }
    },
    LATE {
      @Override
      int identification(ForgedSourcesTest test) {
        return test.counter - IdentificationHabit.BACKWARD;
      }
    };

    abstract int identification(ForgedSourcesTest test);
  }

  private IcrcVerdict judged(int source, int identification) {
    inbound
        .payload(buffer, MemorySegment.ofBuffer(buffer), AT, LENGTH)
        .source(0, GidAddress.ipv4Mapped(source), SOURCE_PORT)
        .local(0, GidAddress.ipv4Mapped(US));
    buffer.putInt(AT + 16, random.nextInt());
    int id = identification & 0xFFFF;
    Icrc.write(
        buffer,
        AT + LENGTH - Icrc.SIZE,
        icrc.ofIpv4(source, US, SOURCE_PORT, UDP_PORT, id, buffer, AT, LENGTH));
    return judge.judge(inbound, 0, nowNs);
  }

  /** Judges the buffer of judged() after damaging it. */
  private IcrcVerdict damaged() {
    buffer.putInt(AT + 16, random.nextInt());
    buffer.putInt(AT + 24, random.nextInt());
    return judge.judge(inbound, 0, nowNs);
  }

  private boolean solvable() {
    return icrc.solveIdentification(PEER, US, SOURCE_PORT, UDP_PORT, buffer, AT, LENGTH) >= 0;
  }

  private boolean refusesThePeer() {
    counter = counter + 1 & 0xFFFF;
    return !judged(PEER, counter).acceptable();
  }

  /** Hears the peer for ten seconds. */
  private void known() {
    for (int i = 0; i < 100; i++) {
      nowNs += 100 * MS;
      assertEquals(false, refusesThePeer());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aForgedDatagramPerPacketShutsNobodyOut(Forgery forgery) {
    for (int each = 1; each <= 3; each++) {
      known();
      int refused = 0;
      for (int i = 0; i < PACKETS; i++) {
        nowNs += US_NS;
        for (int k = 0; k < each; k++) {
          judged(PEER, forgery.identification(this));
        }
        refused += refusesThePeer() ? 1 : 0;
      }
      assertTrue(refused <= 1, each + " forged per packet: refused " + refused);
    }
  }

  @ParameterizedTest
  @EnumSource
  void patienceCostsThePeerAPacketASecond(Forgery forgery) {
    known();
    int refused = 0;
    int seconds = 60;
    for (int i = 0; i < seconds * 50; i++) {
      nowNs += 20 * MS;
      judged(PEER, forgery.identification(this));
      refused += refusesThePeer() ? 1 : 0;
    }
    assertTrue(refused <= seconds + 1, "refused " + refused);
  }

  @ParameterizedTest
  @EnumSource
  void anEmulatorIsNeverRefusedNorLearnedAnew(Forgery forgery) {
    for (int i = 0; i < PACKETS; i++) {
      nowNs += 20 * MS;
      judged(PEER, forgery.identification(this));
      int index = random.nextInt(IdentificationHabit.TRAIN);
      assertEquals(IcrcVerdict.RIGHT, judged(PEER, index));
    }
  }

  @Test
  void aDatagramLikeAnEmulatorsMovesNoHabit() {
    known();
    for (int i = 0; i < PACKETS; i++) {
      judged(PEER, i % IdentificationHabit.TRAIN);
      counter = counter + 1 & 0xFFFF;
      assertEquals(IcrcVerdict.RIGHT, judged(PEER, counter));
    }
  }

  @Test
  void forgedSourcesThatPushThePeerOutOfTheTableRefuseNone() {
    known();
    for (int i = 0; i < 20; i++) {
      for (int k = 0; k < 5000; k++) {
        nowNs += US_NS;
        judged(0x0B000000 + k, 30_000);
      }
      judged(PEER, forged += 2000);
      assertEquals(false, refusesThePeer());
    }
  }

  @Test
  void aThousandWrongDatagramsCostThePeerOnePacket() {
    known();
    int refused = 0;
    int wrong = 100;
    for (int i = 0; i < PACKETS; i++) {
      for (int k = 0; k < wrong; k++) {
        damaged();
      }
      judged(PEER, forged += 2000);
      refused += refusesThePeer() ? 1 : 0;
    }
    int most = PACKETS * wrong / IdentificationHabit.DAMAGED + 1;
    assertTrue(refused <= most, "refused " + refused);
  }

  @ParameterizedTest
  @EnumSource
  void noWrongPacketPassesThatHasNoIdentification(Forgery forgery) {
    known();
    for (int i = 0; i < 20_000; i++) {
      nowNs += US_NS;
      judged(PEER, forgery.identification(this));
      IcrcVerdict verdict = damaged();
      assertTrue(!verdict.acceptable() || solvable());
    }
  }

  @Test
  void aSecondAfterTheAttackTheHabitCountsAgain() {
    known();
    for (int i = 0; i < PACKETS; i++) {
      judged(PEER, random.nextInt(1 << 16));
      refusesThePeer();
    }
    known();
    assertEquals(IcrcVerdict.WRONG, judged(PEER, counter + 10_000));
    assertEquals(false, refusesThePeer());
  }
}
