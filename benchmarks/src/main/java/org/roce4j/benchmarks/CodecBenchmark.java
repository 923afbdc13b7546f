package org.roce4j.benchmarks;

import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;

/** Writing and reading the headers of one packet, by the kind of its headers. */
@State(Scope.Thread)
public class CodecBenchmark extends PacketCost {
  /** One opcode of each combination of headers that a data path meets. */
  @Param({
    "RC_SEND_ONLY",
    "RC_SEND_ONLY_WITH_IMMEDIATE",
    "RC_SEND_ONLY_WITH_INVALIDATE",
    "RC_RDMA_WRITE_FIRST",
    "RC_RDMA_WRITE_MIDDLE",
    "RC_RDMA_READ_REQUEST",
    "RC_RDMA_READ_RESPONSE_FIRST",
    "RC_ACKNOWLEDGE",
    "RC_FETCH_ADD",
    "RC_ATOMIC_ACKNOWLEDGE",
    "UD_SEND_ONLY"
  })
  public Opcode opcode;

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(8192);
  private final InboundPacket inbound = new InboundPacket();
  private int length;
  private int psn;

  @Setup
  public void write() {
    length = PacketWriter.put(buffer, 0, opcode, 17, 1, PacketWriter.payloadOf(opcode));
  }

  @Benchmark
  public int put() {
    return PacketWriter.put(buffer, 0, opcode, 17, psn++, 64);
  }

  @Benchmark
  public InboundPacket.Verdict decode() {
    return inbound.decode(buffer, 0, length);
  }
}
