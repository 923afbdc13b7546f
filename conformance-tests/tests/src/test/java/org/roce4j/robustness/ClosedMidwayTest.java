package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * Two threads post on one queue pair and poll its completions, while a third one destroys the
 * objects that they use. Each thread gets the reason; nothing hangs, and everything that can be
 * destroyed is destroyed.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClosedMidwayTest {
  private static final int BYTES = 1 << 16;
  private static final int ROUNDS = 2;

  /** 0.27 s, eight times: a busy machine is not taken for a peer that is gone. */
  private static final int TIMEOUT = 16;

  private static final int POSTERS = 2;
  private static final int MOST_BEFORE = 200;

  /** The action of the third thread, and the possible results of the others' requests. */
  private enum Loss {
    LOCAL_MEMORY("LOC_PROT_ERR|WR_FLUSH_ERR", program -> program.localArena.close()),
    REMOTE_MEMORY("REM_ACCESS_ERR|WR_FLUSH_ERR", program -> program.remoteArena.close()),
    LOCAL_REGION("LOC_PROT_ERR|WR_FLUSH_ERR", program -> program.local.close()),
    REMOTE_REGION("REM_ACCESS_ERR|WR_FLUSH_ERR", program -> program.remote.close()),
    QUEUE_PAIR("EINVAL", program -> program.here.qp.close()),
    CONTEXT("EINVAL", program -> program.here.context.close()),
    PEER("RETRY_EXC_ERR|WR_FLUSH_ERR", program -> program.peer.context.close());

    private final String ends;
    private final Consumer<Program> taking;

    Loss(String ends, Consumer<Program> taking) {
      this.ends = ends;
      this.taking = taking;
    }
  }

  private static final class Program implements AutoCloseable {
    private final AnyNetwork network;
    private final Arena localArena = Arena.ofShared();
    private final Arena remoteArena = Arena.ofShared();
    private final RcSide here;
    private final RcSide peer;
    private final MemoryRegion local;
    private final MemoryRegion remote;
    private final CountDownLatch before;
    private final Set<String> ends = new ConcurrentSkipListSet<>();
    private final ConcurrentLinkedQueue<Throwable> broken = new ConcurrentLinkedQueue<>();

    /**
     * @param after number of completions before the loss
     */
    Program(String transport, int after) {
      before = new CountDownLatch(after);
      network = new AnyNetwork(transport);
      here = new RcSide(network.device(), BYTES);
      peer = new RcSide(network.device(), BYTES);
      local = here.pd.registerMemory(localArena.allocate(BYTES), RcSide.ALL_RIGHTS);
      remote = peer.pd.registerMemory(remoteArena.allocate(BYTES), RcSide.ALL_RIGHTS);
      RcSide.connect(here, peer, TIMEOUT, 7);
    }

    /** Posts and polls until it hears that it cannot go on. */
    private void post(WrOpcode opcode) {
      try (SendRequestList list = new SendRequestList(1, 1, 0);
          WorkCompletions found = new WorkCompletions(4)) {
        list.add().wrId(1).opcode(opcode).flags(SendFlags.SIGNALED);
        list.sge(local, 0, BYTES).remote(remote.iova(), remote.rkey());
        while (!hears(here.qp.postSend(list), here.cq.poll(found), found)) {
          Thread.yield();
        }
      } catch (Throwable e) {
        broken.add(e);
      }
    }

    private boolean hears(int posted, int polled, WorkCompletions found) {
      if (posted != 0 && posted != Errno.ENOMEM.number()) {
        return ends(Errno.of(posted).name());
      } else if (polled < 0) {
        return ends(Errno.of(-polled).name());
      }
      for (int i = 0; i < polled; i++) {
        before.countDown();
        if (found.status(i) != WcStatus.SUCCESS) {
          return ends(found.status(i).name());
        }
      }
      return false;
    }

    private boolean ends(String how) {
      ends.add(how);
      return true;
    }

    void play(Loss loss) throws InterruptedException {
      List<Thread> posters = new ArrayList<>();
      for (int i = 0; i < POSTERS; i++) {
        WrOpcode opcode = i == 0 ? WrOpcode.RDMA_WRITE : WrOpcode.RDMA_READ;
        posters.add(Thread.ofPlatform().daemon().start(() -> post(opcode)));
      }
      assertTrue(before.await(60, TimeUnit.SECONDS), () -> ends + " " + broken);
      take(loss);
      for (Thread poster : posters) {
        poster.join(30_000);
        assertFalse(poster.isAlive(), () -> Arrays.toString(poster.getStackTrace()));
      }
      assertEquals(List.of(), List.copyOf(broken));
      assertTrue(ends.stream().allMatch(end -> end.matches(loss.ends)), ends::toString);
    }

    /** Memory that the device copies at that moment cannot be freed; Java says so. */
    private void take(Loss loss) {
      Poll.until(
          () -> {
            try {
              loss.taking.accept(this);
              return true;
            } catch (IllegalStateException inUse) {
              return false;
            }
          });
    }

    @Override
    public void close() {
      here.close();
      peer.close();
      network.close();
      for (Arena arena : List.of(localArena, remoteArena)) {
        if (arena.scope().isAlive()) {
          arena.close();
        }
      }
    }
  }

  static Stream<Arguments> losses() {
    return Stream.of("fabric", "linux", "linux-4", "netty")
        .flatMap(on -> Arrays.stream(Loss.values()).map(loss -> Arguments.of(on, loss)));
  }

  @ParameterizedTest
  @MethodSource("losses")
  void whoUsesItIsTold(String transport, Loss loss) throws InterruptedException {
    Random random = new Random(17);
    for (int round = 0; round < (loss == Loss.PEER ? 1 : ROUNDS); round++) {
      try (Program program = new Program(transport, random.nextInt(MOST_BEFORE))) {
        program.play(loss);
      } catch (VerbsException e) {
        throw new AssertionError("round " + round, e);
      }
    }
  }
}
