package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.roce4j.engine.Engine;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Deth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.PKey;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Mad;

/** The packets of queue pair 1. */
class GeneralServicesTest {
  private static final Gid HERE = Gid.parse("10.0.0.1");
  private static final Gid THERE = Gid.parse("10.0.0.2");

  private final Engine engine = new LoneEngine(HERE, Mtu.MTU_1024).engine;
  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);

  /** Asks for the end of a connection that this device does not have, which it confirms. */
  private void ask() {
    ask(Opcode.UD_SEND_ONLY);
  }

  private void ask(Opcode opcode) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(OutboundPacket.size(opcode, Mad.SIZE));
    Bth.put(bytes, 0, opcode.code(), false, 0, 0xffff, Mad.QPN, false, 0);
    Deth.put(bytes, Opcode.UD_SEND_ONLY.dethAt(), Mad.QKEY, Mad.QPN);
    new Dreq(1, 2, 3, Bytes.NONE).in(4).emit(bytes, OutboundPacket.payloadAt(opcode, 0));
    engine.handleDatagram(
        0,
        new Inbound()
            .payload(bytes, MemorySegment.ofBuffer(bytes), 0, bytes.capacity())
            .source(THERE.high(), THERE.low(), 4791)
            .local(HERE.high(), HERE.low()));
  }

  /** It is from queue pair 1 to queue pair 1, whose Q_Key is well known. */
  @Test
  void eachMessageIsADatagramWithAPsnOfItsOwn() {
    ask();
    ask();
    ask();
    List<Integer> psns = new ArrayList<>();
    while (engine.pollTransmit(0, train) > 0) {
      assertEquals(1, train.segments());
      assertEquals(Opcode.UD_SEND_ONLY.code(), Bth.opcode(train.buffer(), 0));
      assertEquals(Mad.QPN, Bth.destQp(train.buffer(), 0));
      assertEquals(PKey.DEFAULT, Bth.pkey(train.buffer(), 0));
      int deth = Opcode.UD_SEND_ONLY.dethAt();
      assertEquals(Mad.QKEY, Deth.qkey(train.buffer(), deth));
      assertEquals(Mad.QPN, Deth.sourceQp(train.buffer(), deth));
      psns.add(Bth.psn(train.buffer(), 0));
    }
    assertEquals(List.of(0, 1, 2), psns);
  }

  @ParameterizedTest
  @EnumSource(
      value = Opcode.class,
      mode = Mode.EXCLUDE,
      names = {"UD_SEND_ONLY", "CNP"})
  void whatIsOfAnotherOpcodeIsNoMessage(Opcode opcode) {
    ask(opcode);
    assertEquals(1, engine.counters().get(Counter.WRONG_SERVICE));
    assertEquals(0, engine.pollTransmit(0, train));
  }
}
