package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.hardware.LibraryRefusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.hardware.bindings.Descriptors;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** An {@code eventfd} that counts down by one at each read stands for the kernel's queue. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class EventDescriptorTest {
  private static final int SEMAPHORE = 1;
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle EVENTFD =
      link("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle WRITE =
      link("eventfd_write", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final MethodHandle READ =
      link("eventfd_read", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle CLOSE =
      link("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  private final Gate gate = new Gate();
  private int fd;
  private EventDescriptor events;

  private static MethodHandle link(String name, FunctionDescriptor descriptor) {
    return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor);
  }

  @BeforeEach
  void open() throws Throwable {
    fd = (int) EVENTFD.invokeExact(0, SEMAPHORE);
    events =
        new EventDescriptor(
            "test-events", fd, gate, () -> new VerbsException(Errno.ENODEV, "it is closed"));
  }

  @AfterEach
  void close() throws Throwable {
    events.onEvent(null);
    gate.shut();
    int ignored = (int) CLOSE.invokeExact(fd);
  }

  private void raise(int count) {
    try {
      int ignored = (int) WRITE.invokeExact(fd, (long) count);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  private String take() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_LONG);
      return (int) READ.invokeExact(fd, value) == 0 ? "event" : null;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  @Test
  void withoutWaitingThereIsAnEventOrNone() {
    assertNull(events.next(this::take, 0));
    raise(1);
    assertEquals("event", events.next(this::take, 0));
    assertNull(events.next(this::take, 0));
  }

  @Test
  void aWaitEndsWhenItsTimeDoes() {
    long startNs = System.nanoTime();
    assertNull(events.next(this::take, 70_000_000));
    assertTrue(System.nanoTime() - startNs >= 70_000_000);
  }

  /** The thread sleeps in one slice of a wait. */
  @Test
  void aSliceOfAWaitLastsItsTime() {
    try (Frame frame = new Frame()) {
      long startNs = System.nanoTime();
      assertFalse(Descriptors.awaitReadable(frame, fd, 30_000_000));
      assertTrue(System.nanoTime() - startNs >= 30_000_000);
      raise(1);
      assertTrue(Descriptors.awaitReadable(frame, fd, 2_000_000_000L));
    }
  }

  @Test
  void aWaitEndsWithTheEvent() throws InterruptedException {
    Thread later = Thread.ofPlatform().start(() -> raise(1));
    assertEquals("event", events.next(this::take, Long.MAX_VALUE));
    later.join();
  }

  @Test
  void anInterruptionEndsAWait() {
    Thread.currentThread().interrupt();
    refused(Errno.EINTR, () -> events.next(this::take, Long.MAX_VALUE));
    assertTrue(Thread.interrupted());
  }

  @Test
  void destructionEndsAWait() throws InterruptedException {
    AtomicReference<VerbsException> end = new AtomicReference<>();
    Thread waiting =
        Thread.ofPlatform()
            .start(
                () ->
                    end.set(
                        assertThrows(
                            VerbsException.class, () -> events.next(this::take, Long.MAX_VALUE))));
    gate.shut();
    waiting.join();
    assertEquals(Errno.ENODEV, end.get().errno());
  }

  @Test
  void theHookIsCalledOnceForWhatNobodyTakes() throws InterruptedException {
    Semaphore calls = new Semaphore(0);
    events.onEvent(calls::release);
    raise(1);
    assertTrue(calls.tryAcquire(10, TimeUnit.SECONDS));
    assertEquals(false, calls.tryAcquire(200, TimeUnit.MILLISECONDS));
  }

  @Test
  void theHookIsCalledAgainOnceTheEventIsTaken() throws InterruptedException {
    Semaphore calls = new Semaphore(0);
    events.onEvent(calls::release);
    for (int i = 0; i < 3; i++) {
      raise(1);
      assertTrue(calls.tryAcquire(10, TimeUnit.SECONDS));
      assertEquals("event", events.next(this::take, 0));
    }
  }

  @Test
  void aHookThatFailsIsCalledAgain() throws InterruptedException {
    Semaphore calls = new Semaphore(0);
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> calls.release());
    try {
      events.onEvent(
          () -> {
            throw new IllegalStateException("a hook's own fault");
          });
      raise(2);
      assertTrue(calls.tryAcquire(10, TimeUnit.SECONDS));
      assertEquals("event", events.next(this::take, 0));
      assertTrue(calls.tryAcquire(10, TimeUnit.SECONDS));
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  @Test
  void anotherHookTakesTheFirstOnesPlace() throws InterruptedException {
    Semaphore first = new Semaphore(0);
    Semaphore second = new Semaphore(0);
    events.onEvent(first::release);
    events.onEvent(second::release);
    raise(1);
    assertTrue(second.tryAcquire(10, TimeUnit.SECONDS));
    assertEquals(0, first.availablePermits());
  }
}
