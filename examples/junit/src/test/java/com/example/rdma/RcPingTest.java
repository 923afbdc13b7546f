package com.example.rdma;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.roce4j.connect.RcPair;
import org.roce4j.connect.RemoteBuffer;
import org.roce4j.fabric.Fabric;
import org.roce4j.junit.Connected;
import org.roce4j.junit.EmulatedRdma;

/** Messages over a reliable connection, tested without RDMA hardware. */
class RcPingTest {
  record Quote(String symbol, long price) {}

  @Test
  @EmulatedRdma
  void aRecordArrives(@Connected RcPair pair) {
    pair.client().send(new Quote("ROCE", 42));
    assertEquals(new Quote("ROCE", 42), pair.server().receive(Quote.class));
  }

  @Test
  @EmulatedRdma(faults = "loss=10% duplicate=5%", seed = 42)
  void messagesArriveAlthoughPacketsAreLost(
      @Connected(ackTimeout = 10) RcPair pair, Fabric fabric) {
    for (int i = 0; i < 20; i++) {
      pair.client().send("ping " + i);
      assertEquals("ping " + i, pair.server().receiveString());
    }
    assertTrue(fabric.counts().dropped() > 0, fabric.counts().toString());
  }

  @Test
  @EmulatedRdma(transport = EmulatedRdma.UDP)
  void aMessageArrivesOverRealSockets(@Connected RcPair pair) {
    pair.client().send("ping");
    assertEquals("ping", pair.server().receiveString());
  }

  @Test
  @EmulatedRdma
  void theClientReadsTheServersMemory(@Connected RcPair pair) {
    var exposed = pair.server().expose(64);
    exposed.memory().setString(0, "read me");
    pair.server().send(exposed.key());

    RemoteBuffer remote = pair.client().receive(RemoteBuffer.class);
    assertEquals("read me", new String(pair.client().read(remote, 0, 7), UTF_8));
  }
}
