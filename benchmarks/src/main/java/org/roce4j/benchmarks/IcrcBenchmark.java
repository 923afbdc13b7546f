package org.roce4j.benchmarks;

import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.Opcode;

/**
 * Computing the invariant CRC of a SEND with {@code payload} bytes, over both IP versions, and
 * computing the identification from it.
 */
@State(Scope.Thread)
public class IcrcBenchmark extends PacketCost {
  private static final int LEFT = 0x7f000001;
  private static final int RIGHT = 0x7f000002;
  private static final int PORT = 4791;

  @Param({"64", "1024", "4096"})
  public int payload;

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(8192);
  private final Icrc icrc = new Icrc();
  private int length;

  @Setup
  public void write() {
    length = PacketWriter.put(buffer, 0, Opcode.RC_SEND_ONLY, 17, 1, payload);
    Icrc.write(buffer, length - Icrc.SIZE, ipv4());
  }

  @Benchmark
  public int ipv4() {
    return icrc.ofIpv4(LEFT, RIGHT, PORT, PORT, 4321, buffer, 0, length);
  }

  @Benchmark
  public int ipv6() {
    return icrc.ofIpv6(1, 2, 3, 4, PORT, PORT, buffer, 0, length);
  }

  @Benchmark
  public int solve() {
    return icrc.solveIdentification(LEFT, RIGHT, PORT, PORT, buffer, 0, length);
  }
}
