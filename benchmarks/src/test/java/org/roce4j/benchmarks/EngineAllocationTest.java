package org.roce4j.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;

/** From post to poll, on both sides, a packet allocates nothing. */
class EngineAllocationTest {
  private static final int MEASURED_PACKETS = 1_000_000;
  private static final int ROUNDS = 6;
  private static final double MOST_BYTES_PER_PACKET = 0.01;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  static Stream<Arguments> calls() {
    return Stream.of(
        sends("postSendSingly", VerbsBenchmark::postSendSingly),
        sends("postSendLists", VerbsBenchmark::postSendLists),
        sends("fillAndPostLists", VerbsBenchmark::fillAndPostLists),
        sends("buildSingly", VerbsBenchmark::buildSingly),
        sends("buildBatches", VerbsBenchmark::buildBatches),
        polls("pollFull", VerbsBenchmark::pollFull),
        polls("pollExtended", VerbsBenchmark::pollExtended));
  }

  private static Arguments sends(
      String name, BiConsumer<VerbsBenchmark, VerbsBenchmark.EmptySendQueue> calls) {
    VerbsBenchmark.EmptySendQueue queue = new VerbsBenchmark.EmptySendQueue();
    VerbsBenchmark benchmark = new VerbsBenchmark();
    Runnable made = () -> calls.accept(benchmark, queue);
    return arguments(named(name, queue), (Runnable) queue::drain, made);
  }

  private static Arguments polls(
      String name, BiConsumer<VerbsBenchmark, VerbsBenchmark.FullCompletionQueue> calls) {
    VerbsBenchmark.FullCompletionQueue queue = new VerbsBenchmark.FullCompletionQueue();
    VerbsBenchmark benchmark = new VerbsBenchmark();
    Runnable made = () -> calls.accept(benchmark, queue);
    return arguments(named(name, queue), (Runnable) queue::fill, made);
  }

  /** Code that is not compiled yet may allocate: what counts is where it settles. */
  @ParameterizedTest
  @MethodSource("calls")
  void postingBuildingAndPollingAllocateNothing(
      VerbsBenchmark.Queues queue, Runnable prepared, Runnable calls) {
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 500 && least > 0; round++) {
      prepared.run();
      long before = threads.getCurrentThreadAllocatedBytes();
      calls.run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    queue.close();
    assertEquals(0, least, "bytes per 1024 calls");
  }

  @ParameterizedTest
  @EnumSource
  void anEngineAllocatesNothingPerPacket(EngineExchange dialogue) {
    try (EnginePair pair = new EnginePair(dialogue.type())) {
      SendRequestList requests = dialogue.requests(pair);
      RecvRequestList receives = dialogue.receives(pair);
      // Code that is not compiled yet may allocate; what counts is where it settles.
      double least = Double.MAX_VALUE;
      for (int round = 0; round < ROUNDS && least > MOST_BYTES_PER_PACKET; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        long first = pair.packets();
        while (pair.packets() - first < MEASURED_PACKETS) {
          pair.run(receives, requests);
        }
        double bytes = threads.getCurrentThreadAllocatedBytes() - before;
        least = Math.min(least, bytes / (pair.packets() - first));
      }
      double settled = least;
      assertTrue(settled < MOST_BYTES_PER_PACKET, () -> settled + " bytes per packet");
    }
  }
}
