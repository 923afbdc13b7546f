package org.roce4j.benchmarks;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.roce4j.hardware.bindings.DataPath;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvQpEx;
import org.roce4j.hardware.bindings.RequestBuilder;
import org.roce4j.hardware.bindings.Structures.IbvContext;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * The cost that {@code roce4j-hardware} adds to a call of the driver: posting and polling through
 * function pointers. Each pointer leads to the C library's {@code ffs}, which is some instructions
 * long. A C program also calls through the pointer; that call is included.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class HardwareBenchmark {
  /** {@code ffs(0)} is 0: posted, and nothing polled. */
  private static final long QUEUE = 0;

  private static final int ENTRIES = 16;

  /** A context whose driver does nothing. */
  @State(Scope.Thread)
  public static class IdleDriver {
    private final Arena arena = Arena.ofShared();
    private DataPath path;
    private SendRequestList sends;
    private RecvRequestList receives;
    private WorkCompletions completions;
    private RequestBuilder builder;

    /** Makes the context, and lists to post. */
    @Setup
    public void open() {
      MemorySegment context = arena.allocate(IbvContext.SIZE, Long.BYTES);
      MemorySegment function = Linker.nativeLinker().defaultLookup().findOrThrow("ffs");
      AddressLayout pointer = ValueLayout.ADDRESS;
      context.set(pointer, IbvContext.POST_SEND, function);
      context.set(pointer, IbvContext.POST_RECV, function);
      context.set(pointer, IbvContext.POST_SRQ_RECV, function);
      context.set(pointer, IbvContext.POLL_CQ, function);
      context.set(pointer, IbvContext.REQ_NOTIFY_CQ, function);
      path = new DataPath(context.address());
      sends = new SendRequestList(arena, 1, 1, 0);
      sends.add().opcode(WrOpcode.SEND).sge(0, 64, 7);
      receives = new RecvRequestList(arena, 1, 1);
      receives.add().sge(0, 64, 7);
      completions = new WorkCompletions(arena, ENTRIES);
      MemorySegment qp = arena.allocate(IbvQpEx.WR_ATOMIC_WRITE + 2L * Long.BYTES, Long.BYTES);
      for (long at = IbvQpEx.WR_ATOMIC_CMP_SWP; at < qp.byteSize(); at += Long.BYTES) {
        qp.set(pointer, at, function);
      }
      builder = new RequestBuilder(qp.address());
    }

    /** Frees it. */
    @TearDown
    public void close() {
      arena.close();
    }
  }

  @Benchmark
  public long postSend(IdleDriver driver) {
    return driver.path.postSend(QUEUE, driver.sends.memory(), driver.sends.address());
  }

  /** As {@link #postSend}, by the functions of a {@code struct ibv_qp_ex}: four calls. */
  @Benchmark
  public int buildSend(IdleDriver driver) {
    RequestBuilder builder = driver.builder;
    builder.start();
    builder.begin(1, 0);
    builder.send();
    builder.setSge(7, 0, 64);
    return builder.complete();
  }

  @Benchmark
  public long postRecv(IdleDriver driver) {
    return driver.path.postRecv(QUEUE, driver.receives.memory(), driver.receives.address());
  }

  @Benchmark
  public int pollCq(IdleDriver driver) {
    return driver.path.pollCq(
        QUEUE, driver.completions.memory(), driver.completions.address(), ENTRIES);
  }

  @Benchmark
  public int reqNotifyCq(IdleDriver driver) {
    return driver.path.reqNotifyCq(QUEUE, false);
  }
}
