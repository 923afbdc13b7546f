package org.roce4j.benchmarks;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The requester alone, against a responder that is played from memory: post, build packets, handle
 * the answer, complete, poll. The time is that of one packet with data.
 */
@State(Scope.Thread)
public class RequesterBenchmark extends PacketCost {
  @Param public EngineExchange dialogue;

  private PlayedSide requester;

  @Setup
  public void record() {
    requester = PlayedSide.requester(dialogue);
  }

  @Benchmark
  @OperationsPerInvocation(EngineExchange.DATA_PACKETS)
  public int turn() {
    return requester.turn();
  }

  @TearDown
  public void close() {
    requester.close();
  }
}
