package org.roce4j.benchmarks;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The requester's side alone, whose responder is played from memory: post, build packets, take the
 * answer, complete, poll. Nanoseconds are those of one packet with data.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class RequesterBenchmark {
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
