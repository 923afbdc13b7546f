package org.roce4j.emulator.cm;

import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Deth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.CmPath;
import org.roce4j.wire.mad.Mad;

/** The packets of a test that plays a peer, to queue pair 1 of a device. */
final class MadPacket {
  private MadPacket() {}

  static Path path(Gid from, Gid to) {
    return new Path(0, from.high(), from.low(), to.high(), to.low(), 0, 64);
  }

  /** Replaces the content of a train by one message. */
  static void put(Transmit train, Path path, Opcode opcode, int pkey, int qkey, Mad mad) {
    train.clear();
    int size = OutboundPacket.size(opcode, Mad.SIZE);
    int at = train.claim(path, 49_152, size);
    Bth.put(train.buffer(), at, opcode.code(), false, 0, pkey, Mad.QPN, false, 0);
    if (opcode.dethAt() > 0) {
      Deth.put(train.buffer(), at + opcode.dethAt(), qkey, Mad.QPN);
    }
    mad.emit(train.buffer(), OutboundPacket.payloadAt(opcode, at));
    train.commit(size);
  }

  /** The path of a request from one address to another. */
  static CmPath primary(Gid from, Gid to, int ackTimeout) {
    return new CmPath(
        0xFFFF,
        0xFFFF,
        from.high(),
        from.low(),
        to.high(),
        to.low(),
        0,
        0,
        0,
        64,
        0,
        false,
        ackTimeout);
  }

  /** The private data of a request without a word of its program. */
  static Bytes addresses(Gid from, Gid to, int sourcePort) {
    return new AddressHeader(4, sourcePort, from.high(), from.low(), to.high(), to.low())
        .before(Bytes.NONE);
  }
}
