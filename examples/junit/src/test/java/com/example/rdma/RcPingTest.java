package com.example.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.roce4j.fabric.Fabric;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.junit.RcPair;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Messages over a reliable connection, tested without RDMA hardware. */
class RcPingTest {
  @Test
  @EmulatedRdma
  void pingArrives(Context client, Context server) {
    try (RcPair pair = RcPair.connect(client, server)) {
      assertEquals("ping", ping(pair));
    }
  }

  @Test
  @EmulatedRdma(faults = "loss=10% duplicate=5%", seed = 42)
  void pingArrivesAlthoughPacketsAreLost(Context client, Context server, Fabric fabric) {
    try (RcPair pair = RcPair.connect(client, server, attr -> attr.timeout(10))) {
      for (int i = 0; i < 20; i++) {
        assertEquals("ping", ping(pair));
      }
    }
    assertTrue(fabric.counts().dropped() > 0, fabric.counts().toString());
  }

  @Test
  @EmulatedRdma(transport = EmulatedRdma.UDP)
  void pingArrivesOverRealSockets(Context client, Context server) {
    try (RcPair pair = RcPair.connect(client, server)) {
      assertEquals("ping", ping(pair));
    }
  }

  @Test
  @EmulatedRdma
  void theClientReadsTheServersMemory(Context client, Context server) {
    try (RcPair pair = RcPair.connect(client, server)) {
      var remote = pair.server().region();
      pair.server().memory().setString(0, "read me");
      var read = pair.client().request(1, WrOpcode.RDMA_READ, 0, 8);
      assertEquals(0, pair.client().qp().postSend(read.remote(remote.iova(), remote.rkey())));
      assertEquals(WcStatus.SUCCESS, pair.client().next().status());
      assertEquals("read me", pair.client().memory().getString(0));
    }
  }

  /** What arrives at the server when the client sends "ping". */
  private static String ping(RcPair pair) {
    pair.server().postReceive(1, 0, 64);
    pair.client().memory().setString(0, "ping");
    pair.client().postSend(2, 0, 5);
    assertEquals(WcStatus.SUCCESS, pair.client().next().status());
    assertEquals(WcStatus.SUCCESS, pair.server().next().status());
    return pair.server().memory().getString(0);
  }
}
