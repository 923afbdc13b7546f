package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.device.Device;
import org.roce4j.device.EmulatedContext;
import org.roce4j.device.GidTable;
import org.roce4j.device.PortControl;
import org.roce4j.drive.DutyCycle;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Progress;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;

/** A packet that one engine hands to another is handled at the time of the other's turn. */
@Holds(Rule.R14)
class HandedOverDialogueTest {
  private static final int TIMER_OF_640_US = 12;

  private final StillPort port = new StillPort(1_000_000, 0);
  private final Device device =
      new Device(
          null,
          DeviceLimits.DEFAULT,
          new GidTable(List.of(StillPort.HERE), 0),
          Mtu.MTU_1024,
          new SplittableRandom(1),
          EngineTrace.NONE,
          2);
  private final DutyCycle cycle = new DutyCycle(device.engine(1), port);

  @Test
  @DisplayName("R14: an RNR wait begins when the NAK comes, however long nobody has polled before")
  void waitsForTheReceiverFromNowOn() {
    QueuePair qp = inRts();
    try (Arena arena = Arena.ofConfined()) {
      assertEquals(0, qp.postSend(new SendRequestList(arena, 1, 1, 0).add().opcode(WrOpcode.SEND)));
    }
    cycle.flush();
    assertEquals(1, port.sent);

    port.clock.addAndGet(10_000_000);
    receiverNotReady(qp);
    cycle.poll();
    port.clock.addAndGet(639_000);
    cycle.run();
    assertEquals(1, port.sent, "sent again before the wait was over");
    port.clock.addAndGet(1_000);
    cycle.run();
    assertEquals(2, port.sent);
  }

  @Test
  @DisplayName("R14: of several packets that were handed over each is handled once, in order")
  void eachIsHandledOnce() {
    QueuePair qp = inRts();
    WorkCompletions done = new WorkCompletions(4);
    try (Arena arena = Arena.ofConfined()) {
      SendRequestList request = new SendRequestList(arena, 1, 1, 0);
      request.add().opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
      for (int psn = 0; psn < 3; psn++) {
        assertEquals(0, qp.postSend(request));
        cycle.flush();
        acknowledges(qp, psn);
        cycle.poll();
        assertEquals(1, qp.sendCq().poll(done), "the acknowledgement of request " + psn);
      }
    }
    assertEquals(3, port.sent);
  }

  private QueuePair inRts() {
    device.attach(PortControl.NONE, Progress.NONE, List.of(Progress.NONE, Progress.NONE));
    return StillPort.inRts(EmulatedContext.open(device, () -> {}), 1);
  }

  private void receiverNotReady(QueuePair qp) {
    handsOver(qp, 0, Aeth.rnrNak(TIMER_OF_640_US), 0);
  }

  private void acknowledges(QueuePair qp, int psn) {
    handsOver(qp, psn, Aeth.ACK, psn + 1);
  }

  private void handsOver(QueuePair qp, int psn, int syndrome, int msn) {
    Opcode opcode = Opcode.RC_ACKNOWLEDGE;
    ByteBuffer buffer = ByteBuffer.allocateDirect(64);
    Bth.put(buffer, 0, opcode.code(), false, 0, 0xffff, qp.qpNum(), false, psn);
    Aeth.put(buffer, opcode.aethAt(), syndrome, msn);
    Inbound answer =
        new Inbound()
            .source(StillPort.PEER.high(), StillPort.PEER.low(), 4791)
            .local(StillPort.HERE.high(), StillPort.HERE.low())
            .payload(buffer, MemorySegment.ofBuffer(buffer), 0, OutboundPacket.size(opcode, 0));
    device.engine(0).handleDatagram(port.clock.get(), answer);
    assertEquals(1 << 1, device.engine(0).takeRecipients(), "nobody asks the other engine to look");
  }
}
