package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.ProgressLine;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.side.LocalAddress;
import org.roce4j.tools.side.Role;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;

/** Two ends on a virtual network that loses packets. */
@Timeout(60)
class LostMessageTest {
  private static final int ITERATIONS = 20;
  private static final long PATIENCE_NS = 1_000_000_000;

  @ParameterizedTest
  @CsvSource({
    "UC, false, UC",
    "UC, true, UC",
    "UD, false, UD",
    "UD, true, UD",
  })
  void endsAnUnreliableGameWhenPatienceEnds(PingPongService service, boolean events, String label) {
    ToolFailure failure =
        assertThrows(ToolFailure.class, () -> play(service, events, 1, "drop nth=8"));
    assertEquals(ToolFailure.RUN_TIME, failure.exitCode());
    assertTrue(
        failure.getMessage().matches("peer 10.0.0.[12] \\(QP 0x.*\\) has been silent for 1 s.*"),
        failure.getMessage());
    assertTrue(
        failure
            .getMessage()
            .endsWith(
                label
                    + " does not repeat what is lost; both sides need the same --iters and"
                    + " --size"),
        failure.getMessage());
  }

  @Test
  void repeatsWhatIsLostOnSeveralConnectionsOfOneReceiveQueue() {
    assertEquals(
        2L * ITERATIONS * 1000,
        play(
            PingPongService.SRQ,
            false,
            4,
            "seed=3; drop probability=0.1; duplicate probability=0.1"));
  }

  @Test
  void repeatsWhatIsLostOnExtendedConnectionsOfSeveralClients() {
    assertEquals(
        2L * ITERATIONS * 1000,
        play(
            PingPongService.XRC,
            false,
            4,
            "seed=3; drop probability=0.1; duplicate probability=0.1"));
  }

  /** Eight timeouts of 4.096 us * 2^n, in virtual time. */
  @ParameterizedTest
  @CsvSource({"RC, 12, 0.13", "RC, 14, 0.54", "SRQ, 12, 0.13", "XRC, 12, 0.13"})
  void givesUpASilentPeerWhenTheAckTimeoutsAreSpent(
      PingPongService service, int ackTimeout, String seconds) {
    ToolFailure failure =
        assertThrows(
            ToolFailure.class,
            () ->
                play(
                    service,
                    new PingPongPlan(ITERATIONS, 1000, Mtu.MTU_1024, false, 1, ackTimeout),
                    "drop probability=1"));
    assertTrue(
        failure.getMessage().contains("retry counter exceeded after " + seconds + " s"),
        failure.getMessage());
  }

  private static long play(PingPongService service, boolean events, int qps, String faults) {
    return play(service, new PingPongPlan(ITERATIONS, 1000, Mtu.MTU_1024, events, qps, 14), faults);
  }

  /** Returns the number of bytes that both ends verified. */
  private static long play(PingPongService service, PingPongPlan plan, String faults) {
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1));
        Context first = network.device("a", Gid.parse("10.0.0.1")).open();
        Context second = network.device("b", Gid.parse("10.0.0.2")).open();
        PingPongPlayer client = player(network, first, Role.CLIENT, service, plan);
        PingPongPlayer server = player(network, second, Role.SERVER, service, plan)) {
      network.fabric().faults(FaultPlan.parse(faults), null);
      PingPongSide.connect(client.side(), server.side());
      PingPongPlayer starter = client.side().starts() ? client : server;
      PingPongPlayer other = starter == client ? server : client;
      server.start();
      client.start();
      ProgressLine progress =
          new ProgressLine(new PrintWriter(new StringWriter()), false, "", ITERATIONS, 0);
      PingPongLoop loop = new PingPongLoop(starter, progress, new Interruption());
      if (plan.events()) {
        loop.alternateByEvents(starter, other);
      } else {
        loop.alternate(starter, other);
      }
      return client.check().verifiedBytes() + server.check().verifiedBytes();
    }
  }

  private static PingPongPlayer player(
      FabricDevices network,
      Context context,
      Role role,
      PingPongService service,
      PingPongPlan plan) {
    return new PingPongPlayer(
        new PingPongSide(context, role, service, plan, LocalAddress.FIRST, new Random(1)),
        new PayloadCheck(role, service, plan, PayloadCheck.PeerProgram.ROCE4J),
        network.fabric()::nowNs,
        PATIENCE_NS,
        false);
  }
}
