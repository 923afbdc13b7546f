package org.roce4j.robustness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.device.CmDevice;
import org.roce4j.verbs.RdmaDevice;

/**
 * More virtual threads wait than there are carriers: if one that waits kept its carrier, those that
 * would end its wait could not run.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VirtualThreadsTest {
  private static final int CONNECTIONS = Runtime.getRuntime().availableProcessors() + 2;
  private static final int MESSAGES = 30;

  @ParameterizedTest
  @ValueSource(strings = {"linux", "linux-4", "netty", "fabric", "fabric-4"})
  void waitWithoutTheirCarriersOnDevicesOfTheirOwn(String transport) throws Exception {
    try (Network network = new Network(transport)) {
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
    try (Network network = new Network(transport)) {
      RdmaDevice leaders = network.device();
      RdmaDevice followers = network.device();
      List<LeaderAndFollower> programs = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        programs.add(program(leaders, followers));
      }
      run(programs);
    }
  }

  /**
   * Drawing a random number for a queue pair may wait for a lock of the JDK, with the engine held.
   */
  @ParameterizedTest
  @ValueSource(strings = {"linux", "linux-4", "netty"})
  void waitForAnEngineWithoutTheCarrierThatItsHolderNeeds(String transport) throws Exception {
    try (Network network = new Network(transport);
        Side side = new Side(network.device(), 4096);
        ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
      CmDevice device = CmDevice.of(side.context);
      CountDownLatch held = new CountDownLatch(1);
      List<Future<?>> all = new ArrayList<>();
      all.add(virtual.submit(() -> device.exclusively(() -> sleep(held))));
      held.await();
      for (int i = 0; i < 4 * CONNECTIONS; i++) {
        all.add(virtual.submit(() -> device.exclusively(() -> true)));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
  }

  private static boolean sleep(CountDownLatch held) {
    held.countDown();
    LockSupport.parkNanos(20_000_000);
    return true;
  }

  private static LeaderAndFollower program(RdmaDevice leader, RdmaDevice follower) {
    return new LeaderAndFollower(new Side(leader, 4096), new Side(follower, 4096), MESSAGES);
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
      for (Future<?> each : all) {
        each.get();
      }
    }
    programs.forEach(LeaderAndFollower::close);
  }
}
