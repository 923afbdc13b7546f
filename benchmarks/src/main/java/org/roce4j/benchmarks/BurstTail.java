package org.roce4j.benchmarks;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.engine.Limit;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * When the last message of a burst arrives whose sender then neither posts nor polls: a hundred
 * WRITEs of 64 bytes, one a post, and a millisecond of silence. Another thread spins on the memory
 * of the receiver, a device of its own in the same process. Two processors.
 */
public final class BurstTail {
  private static final VarHandle NUMBER = JAVA_LONG.varHandle();
  private static final int BYTES = 64;
  private static final int BURST = 100;
  private static final int WARM_UP = 3000;
  private static final long SILENCE_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private final AtomicLong arrivedNs = new AtomicLong();
  private final AtomicLong awaited = new AtomicLong(-1);

  private BurstTail() {}

  /** One side. */
  private static final class End {
    final Context context;
    final CompletionQueue cq;
    final MemoryRegion memory;
    final QueuePair qp;

    End(String name, int address, int held) {
      context =
          Emulator.device(
                  DeviceOptions.of(name, Gid.ofIpv4(address))
                      .withLimit(Limit.MAX_HELD_REQUESTS, held))
              .open();
      cq = context.createCq(256);
      ProtectionDomain pd = context.allocPd();
      memory =
          pd.registerMemory(
              Arena.ofAuto().allocate(4096, 4096),
              AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
      qp = pd.createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(128, 1, 1, 1, 0)));
    }
  }

  /**
   * @param args bursts (2000) and how many requests may be held (as by default; 0: none)
   */
  public static void main(String[] args) throws InterruptedException {
    int bursts = args.length > 0 ? Integer.parseInt(args[0]) : 2000;
    int held = args.length > 1 ? Integer.parseInt(args[1]) : Limit.MAX_HELD_REQUESTS.normal();
    new BurstTail().run(bursts, held);
  }

  private void run(int bursts, int held) throws InterruptedException {
    End sender = new End("sender", 0x7f00_0301, held);
    End receiver = new End("receiver", 0x7f00_0302, held);
    LoneDevice.connect(sender.qp, receiver.context.queryGid(1, 0), receiver.qp.qpNum());
    LoneDevice.connect(receiver.qp, sender.context.queryGid(1, 0), sender.qp.qpNum());
    Thread watcher = Thread.ofPlatform().daemon().start(() -> watch(receiver));
    Histogram tail = new Histogram(TimeUnit.SECONDS.toNanos(10), 3);
    WorkCompletions done = new WorkCompletions(Arena.ofAuto(), 16);
    SendRequestList write = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    for (long burst = 0; burst < WARM_UP + bursts; burst++) {
      long lastNs = burst(sender, receiver, write, burst);
      LockSupport.parkNanos(SILENCE_NS);
      while (awaited.get() != -1) {
        Thread.onSpinWait();
      }
      if (burst >= WARM_UP) {
        tail.recordValue(arrivedNs.get() - lastNs);
      }
      int left = 1;
      while (left > 0) {
        left -= sender.cq.poll(done);
      }
    }
    System.out.printf(
        Locale.ROOT,
        "last of %d unpolled, %d may be held, %d bursts: p50 %.1f us, p99 %.1f us, max %.1f us%n",
        BURST,
        held,
        bursts,
        tail.getValueAtPercentile(50) / 1e3,
        tail.getValueAtPercentile(99) / 1e3,
        tail.getMaxValue() / 1e3);
    watcher.interrupt();
    watcher.join();
    sender.context.close();
    receiver.context.close();
  }

  /**
   * Posts a burst whose last message carries its number. Returns the time before that message was
   * posted.
   */
  private long burst(End from, End to, SendRequestList write, long number) {
    from.memory.memory().set(JAVA_LONG, 0, number + 1);
    awaited.set(number + 1);
    long lastNs = 0;
    for (int i = 1; i <= BURST; i++) {
      boolean last = i == BURST;
      write.clear().add().opcode(WrOpcode.RDMA_WRITE).flags(last ? SendFlags.SIGNALED : 0);
      write.sge(from.memory, last ? 0 : BYTES, BYTES);
      write.remote(to.memory.address() + (last ? 0 : BYTES), to.memory.rkey());
      lastNs = System.nanoTime();
      if (from.qp.postSend(write) != 0) {
        throw new IllegalStateException("a request was refused");
      }
    }
    return lastNs;
  }

  private void watch(End receiver) {
    MemorySegment memory = receiver.memory.memory();
    WorkCompletions none = new WorkCompletions(Arena.ofAuto(), 1);
    while (!Thread.currentThread().isInterrupted()) {
      if (receiver.cq.poll(none) != 0) {
        throw new IllegalStateException("the receiver has a completion");
      }
      long number = awaited.get();
      if (number != -1 && (long) NUMBER.getAcquire(memory, 0L) == number) {
        arrivedNs.set(System.nanoTime());
        awaited.set(-1);
      }
    }
  }
}
