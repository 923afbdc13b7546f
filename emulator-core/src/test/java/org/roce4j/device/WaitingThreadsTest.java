package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.device.WaitingThreads.Waiting;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Planted;
import org.roce4j.engine.Progress;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;

class WaitingThreadsTest {
  private final List<Waiting> seen = new ArrayList<>();
  private final List<String> waits = new ArrayList<>();
  private final List<String> elsewhere = new ArrayList<>();
  private final Device device = device("10.0.0.1");
  private final Device other = device("10.0.0.2");

  private static Device device(String address) {
    Gid gid = Gid.parse(address);
    return new Device(
        Emulator.device(DeviceOptions.of("nameless", gid)),
        DeviceLimits.DEFAULT,
        new GidTable(List.of(gid), 0),
        Mtu.MTU_1024,
        new SplittableRandom(1),
        EngineTrace.NONE);
  }

  /** Lists the waiting threads in the middle of a wait. */
  private final class Looking extends Progress.Idle {
    private long nowNs;

    @Override
    public long nowNs() {
      return nowNs;
    }

    @Override
    public boolean await(BooleanSupplier condition, long timeoutNs) {
      nowNs += timeoutNs;
      seen.addAll(ofThisThread());
      waits.addAll(Situation.of(device));
      elsewhere.addAll(Situation.of(other));
      return false;
    }
  }

  private static List<Waiting> ofThisThread() {
    return WaitingThreads.now().stream()
        .filter(waiting -> waiting.thread() == Thread.currentThread())
        .toList();
  }

  @Test
  void aThreadIsNamedWithVerbAndObjectForAsLongAsItWaits() {
    device.attach(null, new Looking());
    CompletionChannel channel = EmulatedContext.open(device, () -> {}).createCompletionChannel();
    assertNull(channel.getCqEvent(100));
    assertEquals(1, seen.size());
    assertEquals(Thread.currentThread(), seen.getFirst().thread());
    assertEquals("getCqEvent", seen.getFirst().verb());
    assertEquals(channel, seen.getFirst().object());
    assertEquals(List.of(), ofThisThread());
    assertEquals(
        List.of(seen.getFirst() + ": no completion queue uses this channel (CqInitAttr.channel)"),
        waits);
    assertEquals(List.of(), elsewhere, "another device");
  }

  @Test
  void aWaitForAnEventOfAContextIsOneOfItsDeviceAlone() {
    device.attach(null, new Looking());
    Context context = EmulatedContext.open(device, () -> {});
    assertNull(context.getAsyncEvent(100));
    assertEquals("getAsyncEvent", seen.getFirst().verb());
    assertEquals(context, seen.getFirst().object());
    assertEquals(seen.getFirst().toString(), waits.getFirst());
    assertEquals(List.of(), elsewhere, "another device");
    assertEquals(List.of(), ofThisThread());
  }

  /** As that of an interrupted thread. */
  @ParameterizedTest
  @EnumSource
  void aWaitThatEndsByAnExceptionHasEnded(Planted end) {
    device.attach(
        null,
        new Progress.Idle() {
          @Override
          public boolean await(BooleanSupplier condition, long timeoutNs) {
            seen.addAll(ofThisThread());
            end.raise();
            return false;
          }
        });
    Context context = EmulatedContext.open(device, () -> {});
    CompletionChannel channel = context.createCompletionChannel();
    for (Executable wait :
        List.<Executable>of(() -> channel.getCqEvent(100), () -> context.getAsyncEvent(100))) {
      assertSame(end.thrown(), assertThrows(Throwable.class, wait));
      assertEquals(List.of(), ofThisThread());
    }
    assertEquals(2, seen.size());
  }

  @Test
  void aWaitForAnEventOfQueuesThatAreNotArmedSaysSo() {
    device.attach(null, new Looking());
    Context context = EmulatedContext.open(device, () -> {});
    CompletionChannel channel = context.createCompletionChannel();
    context.createCq(1, null, channel, 0);
    CompletionQueue second = context.createCq(1, null, channel, 0);
    CompletionQueue foreign = context.createCq(1, null, context.createCompletionChannel(), 0);
    foreign.requestNotification(false);
    assertNull(channel.getCqEvent(100));
    second.requestNotification(true);
    assertNull(channel.getCqEvent(100));
    String wait = seen.getFirst().toString();
    assertEquals(
        List.of(wait + ": none of its completion queues is armed (requestNotification)", wait),
        waits);
  }

  @Test
  void theLongestWaitComesFirst() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    List<String> verbs = List.of("a", "b", "c", "d", "e", "f", "g", "h");
    List<Thread> threads = new ArrayList<>();
    for (String verb : verbs) {
      CountDownLatch waits = new CountDownLatch(1);
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    WaitingThreads.enter(verb, this);
                    waits.countDown();
                    awaits(end);
                    WaitingThreads.leave();
                  }));
      waits.await();
    }
    List<Waiting> now = WaitingThreads.now();
    end.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(verbs, now.stream().filter(w -> w.object() == this).map(Waiting::verb).toList());
  }

  private static void awaits(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void threadsThatHaveEndedAreForgotten() throws InterruptedException {
    for (int i = 0; i < 500; i++) {
      Thread thread = Thread.ofPlatform().start(() -> WaitingThreads.enter("verb", this));
      thread.join();
      assertTrue(WaitingThreads.now().stream().noneMatch(waiting -> waiting.thread() == thread));
      assertTrue(WaitingThreads.remembered() <= 128, "threads that wait no more are remembered");
    }
  }
}
