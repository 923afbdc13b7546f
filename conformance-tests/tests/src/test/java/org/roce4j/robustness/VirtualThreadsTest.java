package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.device.CmDevice;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;

/**
 * More virtual threads wait than there are carriers: if a waiting thread kept its carrier, the
 * threads that end its wait could not run.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VirtualThreadsTest {
  private static final int CONNECTIONS = Runtime.getRuntime().availableProcessors() + 2;
  private static final int MESSAGES = 30;

  /** The number of threads that wait for another. */
  private static final int WAITING = 4 * CONNECTIONS;

  private static final int DEPTH = 2 * WAITING;

  @ParameterizedTest
  @ValueSource(strings = {"linux", "linux-4", "netty", "fabric", "fabric-4"})
  void waitWithoutTheirCarriersOnDevicesOfTheirOwn(String transport) throws Exception {
    try (AnyNetwork network = new AnyNetwork(transport)) {
      List<LeaderAndFollower> programs = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        programs.add(program(network.device(), network.device()));
      }
      run(programs);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "linux-4", "netty", "fabric", "fabric-4"})
  void waitWithoutTheirCarriersOnTheSameDevice(String transport) throws Exception {
    try (AnyNetwork network = new AnyNetwork(transport)) {
      RdmaDevice leaders = network.device();
      RdmaDevice followers = network.device();
      List<LeaderAndFollower> programs = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        programs.add(program(leaders, followers));
      }
      run(programs);
    }
  }

  /** Drawing a random queue pair number may wait for a lock of the JDK while the engine is held. */
  @ParameterizedTest
  @ValueSource(strings = {"linux", "linux-4", "netty"})
  void waitForAnEngineWithoutTheCarrierThatItsHolderNeeds(String transport) throws Exception {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide side = new RcSide(network.device(), 4096);
        ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
      CmDevice device = CmDevice.of(side.context);
      CountDownLatch held = new CountDownLatch(1);
      List<Future<?>> all = new ArrayList<>();
      all.add(virtual.submit(() -> device.exclusively(() -> sleep(held))));
      held.await();
      for (int i = 0; i < WAITING; i++) {
        all.add(virtual.submit(() -> device.exclusively(() -> true)));
      }
      await(all);
    }
  }

  /** The threads poll until another virtual thread, which sleeps often, ends the test. */
  @ParameterizedTest
  @ValueSource(strings = {"linux", "linux-4", "netty"})
  void pollWithoutTheCarrierThatASleeperNeeds(String transport) throws Exception {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide side = new RcSide(network.device(), 4096);
        ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
      AtomicBoolean over = new AtomicBoolean();
      List<Future<?>> all = new ArrayList<>();
      all.add(virtual.submit(() -> sleepOften(over)));
      for (int i = 0; i < CONNECTIONS; i++) {
        all.add(virtual.submit(() -> pollUntil(over, side.cq)));
      }
      await(all);
    }
  }

  private static void sleepOften(AtomicBoolean over) {
    for (int i = 0; i < MESSAGES; i++) {
      LockSupport.parkNanos(1_000_000);
    }
    over.set(true);
  }

  private static void pollUntil(AtomicBoolean over, CompletionQueue cq) {
    try (WorkCompletions none = new WorkCompletions(1)) {
      while (!over.get()) {
        assertEquals(0, cq.poll(none));
      }
    }
  }

  @Test
  void waitForAnotherBuilderWithoutTheCarrierThatItNeeds() throws Exception {
    try (AnyNetwork network = new AnyNetwork(AnyNetwork.FABRIC);
        Context context = network.device().open()) {
      WorkRequestBuilder builder = flushed(context, context.createCq(DEPTH)).builder();
      takeTurns(builder::start, builder::abort);
    }
  }

  @Test
  void waitForAnotherReaderWithoutTheCarrierThatItNeeds() throws Exception {
    try (AnyNetwork network = new AnyNetwork(AnyNetwork.FABRIC);
        Context context = network.device().open()) {
      ExtendedCompletionQueue cq = context.createCqEx(new CqInitAttr().cqe(DEPTH));
      QueuePair qp = flushed(context, cq);
      for (int i = 0; i < WAITING + 1; i++) {
        assertEquals(0, qp.postRecv(new RecvRequestList(1, 1).add().wrId(i)));
      }
      takeTurns(() -> Poll.until(() -> cq.startPoll() == 0), cq::endPoll);
    }
  }

  /** A queue pair in ERR: posted requests complete at once. */
  private static QueuePair flushed(Context context, CompletionQueue cq) {
    QpInitAttr attr =
        new QpInitAttr()
            .cq(cq)
            .cap(new QpCapabilities(DEPTH, DEPTH, 1, 1))
            .sendOps(SendOpsFlags.WITH_SEND);
    QueuePair qp = context.allocPd().createQp(attr);
    QpBringUp.to(QpState.INIT, qp, QpBringUp.attributes());
    qp.modify(new QpAttr().qpState(QpState.ERR), QpAttrMask.STATE);
    return qp;
  }

  /** The first thread sleeps between the two calls, while the others wait for it in the first. */
  private static void takeTurns(Runnable take, Runnable end) throws Exception {
    try (ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
      CountDownLatch held = new CountDownLatch(1);
      List<Future<?>> all = new ArrayList<>();
      all.add(
          virtual.submit(
              () -> {
                take.run();
                sleep(held);
                end.run();
              }));
      held.await();
      for (int i = 0; i < WAITING; i++) {
        all.add(
            virtual.submit(
                () -> {
                  take.run();
                  end.run();
                }));
      }
      await(all);
    }
  }

  private static void await(List<Future<?>> all) throws Exception {
    for (Future<?> each : all) {
      each.get();
    }
  }

  private static boolean sleep(CountDownLatch held) {
    held.countDown();
    LockSupport.parkNanos(20_000_000);
    return true;
  }

  private static LeaderAndFollower program(RdmaDevice leader, RdmaDevice follower) {
    return new LeaderAndFollower(new RcSide(leader, 4096), new RcSide(follower, 4096), MESSAGES);
  }

  private static void run(List<LeaderAndFollower> programs) throws Exception {
    try (ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (LeaderAndFollower program : programs) {
        all.add(
            virtual.submit(
                () -> {
                  program.run(virtual, virtual);
                  return null;
                }));
      }
      await(all);
    }
    programs.forEach(LeaderAndFollower::close);
  }
}
