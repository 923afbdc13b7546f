package org.roce4j.robustness;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Psn;

/**
 * Forges datagrams: random bytes, and packets that are nearly right. Some get a right ICRC so that
 * they pass its check.
 */
final class Forge {
  private static final int MTU = 1024;
  private static final int LONGEST = 65_507;
  private static final Opcode[] OPCODES = Opcode.values();

  private final SplittableRandom random;
  private final Icrc icrc = new Icrc();
  private final Gid destination;
  private final int destinationPort;
  private final byte[] bytes = new byte[LONGEST];
  private final ByteBuffer buffer = ByteBuffer.wrap(bytes);
  private Gid source;
  private int sourcePort;
  private int length;

  Forge(SplittableRandom random, Gid destination, int destinationPort) {
    this.random = random;
    this.destination = destination;
    this.destinationPort = destinationPort;
  }

  /** Sets the source of the next datagram, which the ICRC covers. */
  Forge from(Gid address, int port) {
    source = address;
    sourcePort = port;
    return this;
  }

  /** Random bytes, half of them with a right ICRC. */
  void random() {
    length =
        switch (random.nextInt(16)) {
          case 0 -> random.nextInt(20);
          case 1 -> random.nextInt(9000);
          case 2 -> random.nextInt(64) == 0 ? random.nextInt(LONGEST + 1) : 1500;
          default -> random.nextInt(12, 128);
        };
    fillRandom(0, length);
    if (random.nextBoolean()) {
      seal();
    }
  }

  /** A packet that the victim may take for its peer's, perhaps damaged. */
  void mutated(Victim victim) {
    valid(victim);
    int headers = Math.min(length, Opcode.RC_FLUSH.headerLength());
    switch (random.nextInt(8)) {
      case 0 -> {}
      case 1 -> flipBits(length);
      case 2 -> length = random.nextInt(length);
      case 3 -> extend();
      case 4 -> {
        bytes[random.nextInt(headers)] = (byte) random.nextInt();
        seal();
      }
      case 5 -> {
        length = random.nextInt(length);
        seal();
      }
      case 6 -> {
        extend();
        seal();
      }
      default -> {
        flipBits(headers);
        seal();
      }
    }
  }

  /** A well-formed packet for any queue pair, with a right ICRC. */
  void toward(int qpn, int psn) {
    Opcode opcode = OPCODES[random.nextInt(OPCODES.length)];
    put(opcode, qpn, psn, 0);
    seal();
  }

  /** Flips bits, so that the ICRC is wrong unless it does not cover them. */
  void flipBits() {
    flipBits(length);
  }

  private void valid(Victim victim) {
    Opcode opcode;
    do {
      opcode = OPCODES[random.nextInt(OPCODES.length)];
    } while (opcode.transport() != victim.transport() && random.nextInt(16) != 0);
    int payload =
        switch (random.nextInt(6)) {
          case 0 -> 0;
          case 1 -> 8;
          case 2 -> random.nextInt(2 * MTU);
          default -> opcode.carriesPayload() ? MTU : 0;
        };
    int psn = opcode.response() ? victim.responsePsn() : victim.requestPsn();
    int shift = random.nextInt(4) == 0 ? random.nextInt(-16, 17) : opcode.response() ? -1 : 0;
    put(opcode, victim.qpNum(), psn + shift & Psn.MASK, payload);
    putExtensions(opcode, victim, payload);
    seal();
  }

  private void put(Opcode opcode, int qpn, int psn, int payload) {
    int pad = -payload & 3;
    length = opcode.headerLength() + payload + pad + Icrc.SIZE;
    fillRandom(Bth.SIZE, length);
    bytes[Bth.OPCODE] = (byte) opcode.code();
    bytes[Bth.FLAGS] = (byte) (random.nextInt(4) << 6 | pad << 4);
    buffer.putShort(Bth.PKEY, (short) 0xFFFF);
    buffer.putInt(Bth.CONGESTION, qpn);
    buffer.putInt(Bth.ACK_REQ, random.nextInt(2) << 31 | psn);
  }

  private void putExtensions(Opcode opcode, Victim victim, int payload) {
    if (opcode.hasReth()) {
      int at = opcode.rethAt();
      buffer.putLong(at, victim.address(random));
      buffer.putInt(at + 8, victim.key(random));
      buffer.putInt(at + 12, announced(payload));
    }
    if (opcode.hasAtomicEth()) {
      buffer.putLong(opcode.atomicEthAt(), victim.address(random));
      buffer.putInt(opcode.atomicEthAt() + 8, victim.key(random));
    }
    if (opcode.hasAeth()) {
      int syndrome =
          switch (random.nextInt(4)) {
            case 0 -> random.nextInt(256);
            case 1 -> 0x60 | random.nextInt(6);
            case 2 -> 0x20 | random.nextInt(32);
            default -> 0x1F;
          };
      bytes[opcode.aethAt()] = (byte) syndrome;
    }
    if (opcode.hasDeth()) {
      buffer.putInt(opcode.dethAt(), random.nextInt(8) == 0 ? random.nextInt() : Victim.QKEY);
    }
    if (opcode.hasInvalidate()) {
      buffer.putInt(opcode.iethAt(), victim.key(random));
    }
  }

  private int announced(int payload) {
    return switch (random.nextInt(8)) {
      case 0 -> random.nextInt();
      case 1 -> 0;
      case 2 -> Integer.MIN_VALUE;
      case 3 -> payload * random.nextInt(1, 64);
      default -> payload;
    };
  }

  private void fillRandom(int from, int to) {
    int at = from;
    for (; at + 8 <= to; at += 8) {
      buffer.putLong(at, random.nextLong());
    }
    for (; at < to; at++) {
      bytes[at] = (byte) random.nextInt();
    }
  }

  private void flipBits(int within) {
    for (int i = random.nextInt(1, 9); i > 0 && within > 0; i--) {
      bytes[random.nextInt(within)] ^= (byte) (1 << random.nextInt(8));
    }
  }

  private void extend() {
    int more = random.nextInt(1, 64);
    fillRandom(length, length + more);
    length += more;
  }

  private void seal() {
    if (length >= Bth.SIZE + Icrc.SIZE) {
      Icrc.write(buffer, length - Icrc.SIZE, computed());
    }
  }

  private int computed() {
    return destination.isIpv4Mapped()
        ? icrc.ofIpv4(
            source.ipv4(), destination.ipv4(), sourcePort, destinationPort, 0, buffer, 0, length)
        : icrc.ofIpv6(
            source.high(),
            source.low(),
            destination.high(),
            destination.low(),
            sourcePort,
            destinationPort,
            buffer,
            0,
            length);
  }

  /** Whether the ICRC of the forged datagram is right. */
  boolean right() {
    return length >= Bth.SIZE + Icrc.SIZE && computed() == Icrc.read(buffer, length - Icrc.SIZE);
  }

  /** The forged datagram, ready to be sent. */
  ByteBuffer datagram() {
    return ByteBuffer.wrap(bytes, 0, length);
  }
}
