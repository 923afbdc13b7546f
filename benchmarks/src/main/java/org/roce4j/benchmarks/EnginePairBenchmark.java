package org.roce4j.benchmarks;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;

/**
 * The complete path of a message without sockets: post, segment, execute, acknowledge, complete,
 * poll, on both sides. The time is that of one packet of data, including its acknowledgement.
 */
@State(Scope.Thread)
public class EnginePairBenchmark extends PacketCost {
  @Param public EngineExchange dialogue;

  private EnginePair pair;
  private SendRequestList requests;
  private RecvRequestList receives;

  @Setup
  public void connect() {
    pair = new EnginePair(dialogue.type());
    requests = dialogue.requests(pair);
    receives = dialogue.receives(pair);
  }

  @Benchmark
  @OperationsPerInvocation(EngineExchange.DATA_PACKETS)
  public int message() {
    return pair.run(receives, requests);
  }

  @TearDown
  public void close() {
    pair.close();
  }
}
