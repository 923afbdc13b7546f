package org.roce4j.benchmarks;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The responder alone, against a requester that is played from memory: check and execute requests,
 * build answers, complete, poll, and post receive requests if messages need them. The time is that
 * of one packet with data.
 */
@State(Scope.Thread)
public class ResponderBenchmark extends PacketCost {
  @Param public EngineExchange dialogue;

  private PlayedSide responder;

  @Setup
  public void record() {
    responder = PlayedSide.responder(dialogue);
  }

  @Benchmark
  @OperationsPerInvocation(EngineExchange.DATA_PACKETS)
  public int turn() {
    return responder.turn();
  }

  @TearDown
  public void close() {
    responder.close();
  }
}
