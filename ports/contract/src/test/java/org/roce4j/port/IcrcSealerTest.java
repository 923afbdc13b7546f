package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Icrc;

class IcrcSealerTest {
  private static final Gid US = Gid.parse("192.168.1.1");
  private static final Gid PEER = Gid.parse("192.168.1.2");
  private static final int[] SIZES = {64, 64, 64, 32};

  private final Transmit train = new Transmit(ByteBuffer.allocateDirect(65507), 64);
  private final Icrc icrc = new Icrc();

  private void fill() {
    Path path = new Path(0, US.high(), US.low(), PEER.high(), PEER.low(), 0, 64);
    train.clear();
    for (int size : SIZES) {
      int at = train.claim(path, 0, size);
      for (int i = 0; i < size; i++) {
        train.buffer().put(at + i, (byte) (at + i));
      }
      train.commit(size);
    }
  }

  private void assertSealed(int sourcePort, int step) {
    int at = 0;
    for (int k = 0; k < SIZES.length; k++) {
      int expected =
          icrc.ofIpv4(
              US.ipv4(), PEER.ipv4(), sourcePort, 4791, k * step, train.buffer(), at, SIZES[k]);
      at += SIZES[k];
      assertEquals(expected, Icrc.read(train.buffer(), at - 4), "segment " + k);
    }
  }

  @ParameterizedTest
  @EnumSource(IdentificationRule.class)
  void segmentsOfATrainBearTheirIndexUnlessAllBearZero(IdentificationRule rule) {
    fill();
    IcrcSealer sealer = new IcrcSealer(rule, 4791);
    sealer.seal(train, 50000);
    assertSealed(50000, rule == IdentificationRule.ZERO ? 0 : 1);
  }

  @ParameterizedTest
  @EnumSource(IdentificationRule.class)
  void sentSinglyAllBearZero(IdentificationRule rule) {
    fill();
    IcrcSealer sealer = new IcrcSealer(rule, 4791);
    sealer.seal(train, 4791);
    sealer.sealSingly(train, 4791);
    assertSealed(4791, 0);
  }

  /** The identification of a connected socket; IPv6 has none. */
  @ParameterizedTest
  @CsvSource({
    "192.168.1.1, 192.168.1.2",
    "fd00::1, fd00::2",
    "::1, ::1",
    "fd00::ffff:a00:1, fd00::ffff:a00:2"
  })
  void aSingleDatagramBearsTheIdentificationOfItsSocket(String from, String to) {
    Gid us = Gid.parse(from);
    Gid peer = Gid.parse(to);
    Path path = new Path(0, us.high(), us.low(), peer.high(), peer.low(), 0, 64);
    train.clear();
    train.claim(path, 0, 64);
    train.commit(64);
    new IcrcSealer(IdentificationRule.TRAIN_INDEX, 4791).sealOne(train, 50_000, 777);
    ByteBuffer bytes = train.buffer();
    int due =
        us.isIpv4Mapped()
            ? icrc.ofIpv4(us.ipv4(), peer.ipv4(), 50_000, 4791, 777, bytes, 0, 64)
            : icrc.ofIpv6(us.high(), us.low(), peer.high(), peer.low(), 50_000, 4791, bytes, 0, 64);
    assertEquals(due, Icrc.read(bytes, 60));
  }

  /** The datagram with a wrong ICRC may be any of a train, or none, or all. */
  @Test
  void theSpoiledAreWrongAndNoOther() {
    for (int which = 0; which < 1 << SIZES.length; which++) {
      fill();
      for (int k = 0; k < SIZES.length; k++) {
        if ((which >> k & 1) != 0) {
          train.spoil(k);
        }
      }
      new IcrcSealer(IdentificationRule.ZERO, 4791).seal(train, 4791);
      int at = 0;
      int wrong = 0;
      for (int k = 0; k < SIZES.length; k++) {
        int right =
            icrc.ofIpv4(US.ipv4(), PEER.ipv4(), 4791, 4791, 0, train.buffer(), at, SIZES[k]);
        at += SIZES[k];
        wrong |= right == Icrc.read(train.buffer(), at - 4) ? 0 : 1 << k;
      }
      assertEquals(which, wrong);
    }
  }

  @Test
  void aSpoiledDatagramDiffersInEveryByteOfItsIcrcAndInNoOther() {
    ByteBuffer right = ByteBuffer.allocate(12).putLong(0, 0x0102030405060708L);
    ByteBuffer spoiled = ByteBuffer.allocate(12).putLong(0, 0x0102030405060708L);
    IcrcSealer.spoil(spoiled, 1, 8);
    for (int i = 0; i < 12; i++) {
      int all = i >= 5 && i < 9 ? 0xFF : 0;
      assertEquals(all, (right.get(i) ^ spoiled.get(i)) & 0xFF, "byte " + i);
    }
  }
}
