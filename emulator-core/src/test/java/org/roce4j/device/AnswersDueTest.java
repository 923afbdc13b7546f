package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

/**
 * Several requests arrive before an answer can leave: the answers that are sent, in their order.
 */
class AnswersDueTest {
  private static final String[] KINDS = {"ACK", "RNR", "?", "NAK"};

  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final QueuePair qp = lone.qp(QpType.RC);
  private final PlayedPeer peer = new PlayedPeer(lone.engine, qp);

  /** The requests are SENDs without bytes. A NAK acknowledges every PSN before its own. */
  @ParameterizedTest(name = "PSNs {1} for {0} receives: {2}")
  @CsvSource({
    "0, 0, RNR 0",
    "0, 0 1, RNR 0",
    "0, 1, NAK 0",
    "0, 1 2, NAK 0",
    "0, 1 0, RNR 0",
    "0, 1 0 1, RNR 0",
    "1, 0, ACK 0",
    "2, 0 1, ACK 1",
    "1, 0 1, RNR 1",
    "1, 0 2, NAK 1",
    "2, 1 0, NAK 1",
    "2, 1 0 1, ACK 1",
    "3, 2 0 1, NAK 2",
    "1, 1 0 1, RNR 1"
  })
  void whatIsOverIsNotSaid(int receives, String psns, String answers) {
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024));
    try (RecvRequestList list = new RecvRequestList(1, 1)) {
      list.add();
      for (int i = 0; i < receives; i++) {
        qp.postRecvOrThrow(list);
      }
    }
    for (String psn : psns.split(" ")) {
      peer.says(0, Opcode.RC_SEND_ONLY, true, Integer.parseInt(psn));
    }
    assertEquals(answers, said());
  }

  /** Requests of its own that go on for ever do not silence a queue pair. */
  @Test
  void whatFoundNoRoomInATrainGoesFirstInTheNext() {
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024));
    for (int i = 0; i < 3; i++) {
      qp.postSendOrThrow(new SendRequestList(Arena.ofAuto(), 1, 1, 0).add().opcode(WrOpcode.SEND));
    }
    lone.engine.handleDoorbells(0);
    peer.says(0, Opcode.RC_SEND_ONLY, true, 0);
    assertEquals("SEND 0 RNR 0 SEND 1 SEND 2", said());
  }

  private String said() {
    StringJoiner said = new StringJoiner(" ");
    Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), 1);
    while (lone.engine.pollTransmit(0, train) > 0) {
      ByteBuffer bytes = train.buffer();
      boolean answer = Bth.opcode(bytes, 0) == Opcode.RC_ACKNOWLEDGE.code();
      String kind = answer ? KINDS[Aeth.syndrome(bytes, Bth.SIZE) >> 5] : "SEND";
      said.add(kind + " " + Bth.psn(bytes, 0));
    }
    return said.toString();
  }
}
