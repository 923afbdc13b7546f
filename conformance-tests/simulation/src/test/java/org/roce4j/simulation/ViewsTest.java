package org.roce4j.simulation;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Opcode;

/** The oracle's judgement of packets of unreliable connections and of datagrams. */
class ViewsTest implements Arrivals.Receives {
  private static final int MTU = 1024;
  private static final Gid HERE = Gid.parse("10.0.0.1");

  @AutoClose private final Fabric fabric = new Fabric(FabricOptions.of(1));
  private final Arrivals arrivals = new Arrivals(new Agenda(fabric), false, this);
  private final UnreliableView connection = new UnreliableView(arrivals, 0);
  private final DatagramView datagrams = new DatagramView("here", HERE, 17, MTU, arrivals, 0);
  private boolean free = true;

  @Override
  public void claim(int requests) {}

  @Override
  public boolean surelyFree() {
    return free;
  }

  private static void breaks(OracleRule rule, Executable what) {
    assertEquals(rule, assertThrows(RuleBroken.class, what).rule());
  }

  private static PostedSend message(int bytes) {
    PostedSend message = new PostedSend(1, WrOpcode.SEND, true, Arena.ofAuto().allocate(bytes));
    message.datagram = new Datagram(HERE, 17, HERE, 0, true);
    return message;
  }

  /** Whether a message arrived that must be received. */
  private boolean mustBeReceived() {
    try {
      arrivals.checkAtEnd("here");
      return false;
    } catch (RuleBroken lost) {
      return true;
    }
  }

  /** The message takes three PSNs from 0 on. */
  @ParameterizedTest
  @CsvSource({
    "UC_SEND_FIRST:0 UC_SEND_MIDDLE:1 UC_SEND_LAST:2, true",
    "UC_SEND_FIRST:0 UC_SEND_LAST:2, false",
    "UC_SEND_FIRST:0 UC_SEND_MIDDLE:1, false",
    "UC_SEND_MIDDLE:1 UC_SEND_LAST:2, false",
    "UC_SEND_FIRST:0 UC_SEND_FIRST:0 UC_SEND_MIDDLE:1 UC_SEND_LAST:2, true",
    "UC_SEND_FIRST:0 UC_SEND_MIDDLE:1 UC_SEND_FIRST:2 UC_SEND_LAST:3, false",
    "UC_SEND_ONLY:0, true",
    "UC_SEND_ONLY:1, false",
    "UC_RDMA_WRITE_FIRST:0 UC_RDMA_WRITE_LAST_WITH_IMMEDIATE:1, true",
    "UC_RDMA_WRITE_FIRST:0 UC_RDMA_WRITE_LAST:1, false",
    "UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE:0, true"
  })
  void aMessageThatArrivesWholeIsReceived(String packets, boolean whole) {
    connection.posted(message(8), 3);
    deliver(packets);
    assertEquals(whole, mustBeReceived());
  }

  private void deliver(String packets) {
    for (String packet : packets.split(" ")) {
      String[] parts = packet.split(":");
      connection.delivered(Opcode.valueOf(parts[0]), Integer.parseInt(parts[1]));
    }
  }

  /** The packet that takes the receive request decides: the last one of a WRITE. */
  @ParameterizedTest
  @CsvSource({
    "true, UC_SEND_FIRST:0, false, UC_SEND_LAST:1, true",
    "false, UC_SEND_FIRST:0, true, UC_SEND_LAST:1, false",
    "false, UC_RDMA_WRITE_FIRST:0, true, UC_RDMA_WRITE_LAST_WITH_IMMEDIATE:1, true",
    "true, UC_RDMA_WRITE_FIRST:0, false, UC_RDMA_WRITE_LAST_WITH_IMMEDIATE:1, false"
  })
  void aMessageMayFindNoRequest(
      boolean freeFirst, String first, boolean freeLast, String last, boolean certain) {
    connection.posted(message(8), 2);
    free = freeFirst;
    deliver(first);
    free = freeLast;
    deliver(last);
    assertEquals(certain, mustBeReceived());
  }

  @Test
  void aDrainedQueueSendsNothing() {
    datagrams.posted(message(8));
    datagrams.quiet(true);
    connection.quiet(true);
    breaks(OracleRule.DRAINED_IS_SILENT, () -> datagrams.packetSent(0));
    breaks(OracleRule.DRAINED_IS_SILENT, () -> connection.sent(0));
    datagrams.quiet(false);
    connection.quiet(false);
    assertDoesNotThrow(() -> datagrams.packetSent(0));
    assertDoesNotThrow(() -> connection.sent(0));
  }

  @Test
  void onlyADatagramThatWasPostedAndIsNotTooLongIsSent() {
    datagrams.posted(message(MTU));
    datagrams.posted(message(MTU + 1));
    assertDoesNotThrow(() -> datagrams.packetSent(0));
    breaks(OracleRule.WHOLE_OR_NOT_AT_ALL, () -> datagrams.packetSent(1));
    breaks(OracleRule.WHOLE_OR_NOT_AT_ALL, () -> datagrams.packetSent(2));
  }

  @Test
  void theNextDatagramBearsThePsnOfOneThatFailed() {
    PostedSend failed = message(MTU + 1);
    PostedSend next = message(8);
    datagrams.posted(failed);
    datagrams.failed(failed);
    datagrams.posted(next);
    assertEquals(next, datagrams.sent(0));
    assertEquals(1, datagrams.nextPsn());
  }

  @ParameterizedTest
  @CsvSource({"true, false, true", "false, false, false", "true, true, false"})
  void aDatagramIsReceivedWithTheRightKeyWhileTheQueuePairLives(
      boolean rightKey, boolean closed, boolean received) {
    PostedSend message = message(8);
    message.datagram = new Datagram(HERE, 17, HERE, 0, rightKey);
    if (closed) {
      datagrams.close();
    }
    datagrams.arrived(message);
    assertEquals(received, mustBeReceived());
  }
}
