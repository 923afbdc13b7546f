package org.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.roce4j.wire.InboundPacket.Verdict;

/** The codec allocates nothing per packet. */
class AllocationTest {
  private static final int WARM_UP = 20_000;
  private static final int MEASURED = 50_000;

  /** Less than this over all measured packets: the measuring itself may allocate a little. */
  private static final long NOTHING_BYTES = MEASURED / 4;

  private final ByteBuffer packet = ByteBuffer.allocateDirect(2048);
  private final Icrc icrc = new Icrc();
  private final InboundPacket inbound = new InboundPacket();
  private long sum;

  @Test
  void writingSealingCheckingSolvingAndDecodingAllocateNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    run(WARM_UP);
    long before = threads.getCurrentThreadAllocatedBytes();
    run(MEASURED);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertTrue(allocated < NOTHING_BYTES, () -> allocated + " bytes for " + MEASURED + " packets");
    assertTrue(sum != 0);
  }

  private void run(int packets) {
    for (int i = 0; i < packets; i++) {
      int payload = i & 1023;
      Opcode op = Opcode.of(Transport.RC, Operation.RDMA_WRITE, true, true, (i & 1) == 0, false);
      int size = OutboundPacket.size(op, payload);
      Bth.put(packet, 0, op.code(), false, OutboundPacket.pad(payload), 0xFFFF, 17, true, i);
      Reth.put(packet, op.rethAt(), i, i, payload);
      OutboundPacket.zeroPad(packet, 0, op, payload);
      int value = icrc.ofIpv4(1, 2, 0xC000, 4791, i & 0xFFFF, packet, 0, size);
      Icrc.write(packet, size - Icrc.SIZE, value);
      int solved = icrc.solveIdentification(1, 2, 0xC000, 4791, packet, 0, size);
      sum += solved + icrc.ofIpv6(1, 2, 3, 4, 0xC000, 4791, packet, 0, size);
      if (inbound.decode(packet, 0, size) == Verdict.OK) {
        sum += inbound.rethVa() + inbound.payloadLength() + Psn.extend(sum, inbound.psn());
      }
    }
  }

  @Test
  void theMeasuringSeesAnAllocation() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    ByteBuffer kept = ByteBuffer.allocate(1 << 20);
    assertTrue(threads.getCurrentThreadAllocatedBytes() - before >= 1 << 20);
    assertEquals(1 << 20, kept.capacity());
  }
}
