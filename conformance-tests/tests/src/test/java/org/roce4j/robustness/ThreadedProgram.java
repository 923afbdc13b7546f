package org.roce4j.robustness;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.roce4j.device.WaitingThreads;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * A random program of 2 to 30 threads on a virtual network, made of a seed: pairs of a leader that
 * writes and a follower that posts receives one at a time. Each runs on some kind of thread, waits
 * in some way, computes, sleeps, hands work over and is interrupted. The seed decides its actions,
 * the operating system their order.
 */
final class ThreadedProgram {
  /** A program hangs if it takes no completion for this time; a busy machine may make it slow. */
  private static final long PATIENCE_S = 120;

  private static final int MOST_PAIRS = 15;
  private static final int MOST_MESSAGES = 25;
  private static final int BYTES = 64;
  private static final String[] LOSSES = {"0%", "1%", "5%"};

  /** The way in which a thread waits for a completion. */
  private enum Waiting {
    CHANNEL,
    CHANNEL_FOR_A_TIME,
    POLL,
    POLL_AND_YIELD,
    POLL_AND_NAP
  }

  /** The follower's action before it posts the next receive. */
  private enum Between {
    NOTHING,
    COMPUTE,
    NAP,
    HAND_OVER
  }

  private final long seed;
  private final SplittableRandom random;

  /**
   * Whether packets are lost. Then no thread naps or hands work over: time passes while a follower
   * sleeps for long, the leader retries, and losses would use up its retries.
   */
  private boolean lossy;

  private final List<Thread> interrupted = new ArrayList<>();
  private final List<Future<?>> parts = new ArrayList<>();
  private final List<RcSide> sides = new ArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);

  /** The number of completions that any thread has taken. */
  private final AtomicLong completions = new AtomicLong();

  ThreadedProgram(long seed) {
    this.seed = seed;
    random = new SplittableRandom(seed);
  }

  /** Runs the program to its end; fails with the seed if a thread fails or does not end. */
  @SuppressWarnings("try") // the network is closed first: that ends the waits of threads that hang
  void run() throws Exception {
    String loss = LOSSES[random.nextInt(3)];
    lossy = !loss.equals(LOSSES[0]);
    String link =
        "seed=%d loss=%s delay=%dns"
            .formatted(seed, loss, random.nextInt(3) * random.nextInt(5000));
    try (FabricDevices network = new FabricDevices(FabricOptions.parse(link));
        ExecutorService platform =
            Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().factory());
        ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();
        ExecutorService pool = Executors.newCachedThreadPool();
        ExecutorService hands = Executors.newFixedThreadPool(2)) {
      try {
        start(network, List.of(platform, virtual, pool), hands);
        awaitAll();
        sides.forEach(RcSide::close);
      } finally {
        over.countDown();
        network.close();
        List.of(platform, virtual, pool, hands).forEach(ExecutorService::shutdownNow);
      }
    }
  }

  private void start(
      FabricDevices network, List<ExecutorService> executors, ExecutorService hands) {
    List<RdmaDevice> devices = new ArrayList<>();
    for (int i = 0, count = 2 + random.nextInt(3); i < count; i++) {
      DeviceOptions options = network.options("roce" + i, Gid.ofIpv4(0x0a00_0001 + i));
      devices.add(network.device(options.withEngines(1 << random.nextInt(2))));
    }
    if (random.nextInt(3) == 0) {
      parkBystander(devices.getFirst());
    }
    for (int i = 0, pairs = 1 + random.nextInt(MOST_PAIRS); i < pairs; i++) {
      RcSide leader = new RcSide(pick(devices), BYTES);
      RcSide follower = new RcSide(pick(devices), BYTES);
      sides.addAll(List.of(leader, follower));
      RcSide.connect(leader, follower, 14, 7);
      int messages = 1 + random.nextInt(MOST_MESSAGES);
      SplittableRandom one = random.split();
      SplittableRandom other = random.split();
      parts.add(pick(executors).submit(part(() -> lead(leader, follower, messages, one))));
      parts.add(pick(executors).submit(part(() -> follow(follower, messages, other, hands))));
    }
    if (random.nextInt(2) == 0) {
      Thread.ofPlatform().daemon().start(this::interruptNowAndThen);
    }
  }

  private <T> T pick(List<T> among) {
    return among.get(random.nextInt(among.size()));
  }

  /** A thread that uses the network once and is parked until the end. */
  private void parkBystander(RdmaDevice device) {
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              device.open().close();
              try {
                over.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
  }

  private Runnable part(Runnable body) {
    return () -> {
      synchronized (interrupted) {
        interrupted.add(Thread.currentThread());
      }
      try {
        body.run();
      } finally {
        synchronized (interrupted) {
          interrupted.remove(Thread.currentThread());
        }
      }
    };
  }

  private void interruptNowAndThen() {
    SplittableRandom own = new SplittableRandom(seed + 1);
    while (over.getCount() > 0) {
      LockSupport.parkNanos(own.nextInt(100_000, 3_000_000));
      synchronized (interrupted) {
        if (!interrupted.isEmpty()) {
          interrupted.get(own.nextInt(interrupted.size())).interrupt();
        }
      }
    }
  }

  private void awaitAll() throws Exception {
    for (Future<?> part : parts) {
      while (!ends(part, completions.get())) {
        // try again: the machine is busy
      }
    }
  }

  /** Whether the part ended; fails if no thread has taken a completion in all this time. */
  private boolean ends(Future<?> part, long before) throws InterruptedException {
    try {
      part.get(PATIENCE_S, TimeUnit.SECONDS);
      return true;
    } catch (ExecutionException e) {
      throw new AssertionError("seed " + seed, e.getCause());
    } catch (TimeoutException e) {
      if (completions.get() == before) {
        throw new AssertionError("seed " + seed + " hangs: " + WaitingThreads.now(), e);
      }
      return false;
    }
  }

  // ---- the two roles

  private void lead(RcSide side, RcSide peer, int messages, SplittableRandom random) {
    for (int i = 0; i < messages; i++) {
      demand(side.rdma(WrOpcode.RDMA_WRITE_WITH_IMM, i, 0, BYTES, peer.mr.iova(), peer.mr.rkey()));
      await(side, i, random);
    }
  }

  private void follow(RcSide side, int messages, SplittableRandom random, ExecutorService hands) {
    for (int i = 0; i < messages; i++) {
      int wrId = i;
      switch (Between.values()[random.nextInt(lossy ? 2 : 4)]) {
        case NOTHING -> {}
        case COMPUTE -> spin(random.nextInt(200_000));
        case NAP -> LockSupport.parkNanos(random.nextInt(2_000_000));
        case HAND_OVER -> {
          // An interrupt may end only the wait: the receive is posted.
          awaitDone(hands.submit(() -> demand(side.receive(wrId, 0, 0))));
          await(side, i, random);
          continue;
        }
      }
      demand(side.receive(i, 0, 0));
      await(side, i, random);
    }
  }

  private static void awaitDone(Future<?> handedOver) {
    while (!handedOver.isDone()) {
      try {
        handedOver.get();
      } catch (InterruptedException disturbed) {
        continue;
      } catch (ExecutionException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static void demand(int errno) {
    if (errno != 0) {
      throw new AssertionError("refused: " + Errno.of(errno));
    }
  }

  private static void spin(long ns) {
    long end = System.nanoTime() + ns;
    while (System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
  }

  /** Waits for the one completion that must come. */
  private void await(RcSide side, long wrId, SplittableRandom random) {
    Waiting how = Waiting.values()[random.nextInt(lossy ? 4 : 5)];
    List<RcSide.Completion> taken = side.poll();
    while (taken.isEmpty()) {
      if (over.getCount() == 0) {
        throw new AssertionError("the run was given up before message " + wrId);
      }
      taken = pollLater(side, how, random);
    }
    if (taken.size() != 1
        || taken.getFirst().status() != WcStatus.SUCCESS
        || taken.getFirst().wrId() != wrId) {
      throw new AssertionError("message " + wrId + " is " + taken);
    }
    completions.incrementAndGet();
  }

  private static List<RcSide.Completion> pollLater(
      RcSide side, Waiting how, SplittableRandom random) {
    switch (how) {
      case POLL -> Thread.onSpinWait();
      case POLL_AND_YIELD -> Thread.yield();
      case POLL_AND_NAP -> LockSupport.parkNanos(50_000);
      case CHANNEL, CHANNEL_FOR_A_TIME -> {
        side.cq.requestNotification(false);
        List<RcSide.Completion> taken = side.poll();
        if (!taken.isEmpty()) {
          return taken;
        }
        awaitEvent(side, how == Waiting.CHANNEL ? Long.MAX_VALUE : random.nextInt(2_000_000));
      }
    }
    return side.poll();
  }

  private static void awaitEvent(RcSide side, long timeoutNs) {
    try {
      if (side.channel.getCqEvent(timeoutNs) != null) {
        side.cq.ackEvents(1);
      }
    } catch (VerbsException e) {
      if (e.errno() != Errno.EINTR || !Thread.interrupted()) {
        throw e;
      }
    }
  }
}
