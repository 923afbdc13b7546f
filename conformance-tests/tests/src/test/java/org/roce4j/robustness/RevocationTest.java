package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;

/**
 * A verb that revokes access returns only when no engine uses that access any more. Binds that end
 * another bind's access take no turn of other engines: see {@code WindowTest} of the engine's
 * memory.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RevocationTest {
  private static final int BYTES = 4096;
  private static final long LONG_FOR_A_VERB_MS = 200;

  /** Stops an engine in the middle of its turn, when it handles an unknown queue pair. */
  private static final class Pause implements EngineTrace {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);

    @Override
    public void dropped(int qpNum, int psn, Counter reason) {
      if (reason == Counter.UNKNOWN_QP) {
        reached.countDown();
        try {
          over.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  static Stream<Arguments> revocations() {
    return Stream.of(
        revocation("dereg_mr", side -> side.mr.close()),
        revocation("rereg_mr", side -> side.mr.reregister(null, AccessFlags.LOCAL_WRITE)),
        revocation("modify_qp to ERR", side -> side.qp.modify(new QpAttr().qpState(QpState.ERR))),
        revocation("destroy_qp", side -> side.qp.close()),
        revocation("close_device", side -> side.context.close()));
  }

  private static Arguments revocation(String verb, Consumer<RcSide> call) {
    return Arguments.of(verb, call);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("revocations")
  void waitsForATurnOfAnotherEngine(String verb, Consumer<RcSide> call) throws Exception {
    whileTheSecondEngineIsHeldUp(side -> () -> call.accept(side));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("windowTypes")
  void deallocationOfAWindowWaitsForATurnOfAnotherEngine(MwType type) throws Exception {
    whileTheSecondEngineIsHeldUp(
        side -> {
          MemoryWindow window = side.pd.allocMemoryWindow(type);
          return window::close;
        });
  }

  static Stream<MwType> windowTypes() {
    return Stream.of(MwType.values());
  }

  private interface Preparation {
    Runnable verb(RcSide side);
  }

  private static void whileTheSecondEngineIsHeldUp(Preparation preparation) throws Exception {
    Pause pause = new Pause();
    DeviceOptions two =
        DeviceOptions.of("two", Loopback.fresh())
            .withTransport("linux")
            .withEngines(2)
            .withTrace(pause);
    try (RcSide from =
            new RcSide(Emulator.device(DeviceOptions.of("from", Loopback.fresh())), BYTES);
        RcSide to = new RcSide(Emulator.device(two), BYTES)) {
      Runnable verb = preparation.verb(to);
      int gone = numberOfTheSecondEngine(to);
      RcSide.connect(to.qp, from.gid, from.qp.qpNum(), 14, 0);
      RcSide.connect(from.qp, to.gid, gone, 14, 0);
      CompletableFuture<Void> done;
      try {
        assertEquals(0, from.send(1, 0, 8));
        assertTrue(pause.reached.await(10, TimeUnit.SECONDS), "the datagram has not arrived");
        CountDownLatch called = new CountDownLatch(1);
        done =
            CompletableFuture.runAsync(
                () -> {
                  called.countDown();
                  verb.run();
                },
                task -> Thread.ofPlatform().daemon().start(task));
        called.await();
        assertThrows(
            TimeoutException.class, () -> done.get(LONG_FOR_A_VERB_MS, TimeUnit.MILLISECONDS));
      } finally {
        pause.over.countDown();
      }
      done.get(10, TimeUnit.SECONDS);
    }
  }

  private static int numberOfTheSecondEngine(RcSide side) {
    CompletionQueue cq = side.context.createCq(1, null, null, 1);
    QueuePair qp = side.pd.createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(1, 1, 1, 1, 0)));
    qp.close();
    cq.close();
    return qp.qpNum();
  }
}
