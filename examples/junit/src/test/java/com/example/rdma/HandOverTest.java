package com.example.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.junit.RdmaEnd;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WrOpcode;

/** A record is handed over: a WRITE carries its bytes, and a SEND says that they have arrived. */
class HandOverTest {
  /** Requests of two connections are not ordered, but without faults no run shows that. */
  @Test
  @EmulatedRdma
  void theWordComesOnAnotherConnection(Context writer, Context reader) {
    try (RdmaEnd bytes = new RdmaEnd(writer, QpType.RC);
        RdmaEnd word = new RdmaEnd(writer, QpType.RC);
        RdmaEnd record = new RdmaEnd(reader, QpType.RC);
        RdmaEnd bell = new RdmaEnd(reader, QpType.RC)) {
      RdmaEnd.connect(bytes, record, attr -> {});
      RdmaEnd.connect(word, bell, attr -> {});
      handOver(bytes, word, record, bell);
    }
  }

  /** The fault that was found is repeated here: one connection keeps its order. */
  @Test
  @EmulatedRdma(seed = 1, faults = "drop direction=out opcode=RC_RDMA_WRITE_ONLY nth=1")
  void theWordComesOnTheSameConnection(Context writer, Context reader) {
    try (RdmaEnd near = new RdmaEnd(writer, QpType.RC);
        RdmaEnd far = new RdmaEnd(reader, QpType.RC)) {
      RdmaEnd.connect(near, far, attr -> {});
      handOver(near, near, far, far);
    }
  }

  private static void handOver(RdmaEnd bytes, RdmaEnd word, RdmaEnd record, RdmaEnd bell) {
    bell.postReceive(1, 0, 0);
    bytes.memory().setString(0, "42 shares");
    bytes
        .qp()
        .postSendOrThrow(
            bytes
                .request(2, WrOpcode.RDMA_WRITE, 0, 64)
                .remote(record.region().iova(), record.region().rkey()));
    word.postSend(3, 0, 0);

    bell.next().succeeded();
    assertEquals("42 shares", record.memory().getString(0));
  }
}
