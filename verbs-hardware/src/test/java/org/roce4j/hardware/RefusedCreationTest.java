package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.hardware.LibraryRefusals.refused;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.hardware.bindings.LibraryInJava;
import org.roce4j.hardware.bindings.Structures.IbvSrqAttr;
import org.roce4j.hardware.bindings.Structures.IbvSrqInitAttr;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;

/**
 * An object for which the library or the kernel has no memory: the caller is told, and nothing is
 * kept.
 */
@EnabledOnOs(OS.LINUX)
class RefusedCreationTest extends LibraryFixture {
  private static final MethodHandle MALLOC =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("malloc"),
              FunctionDescriptor.of(ADDRESS, JAVA_LONG));

  /** A verb that creates an object, and its function of C. */
  enum Creation {
    PROTECTION_DOMAIN("ibv_alloc_pd", test -> test.context.allocPd()),
    COMPLETION_CHANNEL("ibv_create_comp_channel", test -> test.context.createCompletionChannel()),
    COMPLETION_QUEUE("ibv_create_cq", test -> test.context.createCq(1)),
    MEMORY_REGION("ibv_reg_mr_iova2", test -> test.pd.registerMemory(test.arena.allocate(64), 0)),
    SHARED_RECEIVE_QUEUE("ibv_create_srq", test -> test.pd.createSrq(new SrqInitAttr(1, 1))),
    QUEUE_PAIR("ibv_create_qp", test -> test.queuePair(test.pd, test.cq)),
    ADDRESS_HANDLE(
        "ibv_create_ah", test -> test.pd.createAh(AhAttr.roce(Gid.parse("10.0.0.1"), 0)));

    private final String function;
    private final Function<RefusedCreationTest, AutoCloseable> verb;

    Creation(String function, Function<RefusedCreationTest, AutoCloseable> verb) {
      this.function = function;
      this.verb = verb;
    }
  }

  private ProtectionDomain pd;
  private CompletionQueue cq;

  /** NULL and ENOMEM: more than an address space. */
  private static long noMemory() {
    try {
      return ((MemorySegment) MALLOC.invokeExact(-1L)).address();
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void isToldAndLeavesNothing(Creation creation) throws Exception {
    pd = context.allocPd();
    cq = context.createCq(1);
    LibraryInJava.Function makes = c.now(creation.function);
    c.does(creation.function, _ -> noMemory());
    VerbsException refused = refused(Errno.ENOMEM, () -> creation.verb.apply(this));
    assertTrue(refused.getMessage().contains(creation.function.substring(0, 8)));
    if (creation != Creation.ADDRESS_HANDLE) { // this library makes none
      c.does(creation.function, makes);
      creation.verb.apply(this).close();
    }
    c.calls.clear();
    context.close();
    assertEquals(List.of("ibv_destroy_cq", "ibv_dealloc_pd", "ibv_close_device"), c.calls);
  }

  /** By the manual the limit of a new queue is ignored. */
  @Test
  void aNewSharedReceiveQueueIsNotArmed() {
    List<Integer> limits = new ArrayList<>();
    LibraryInJava.Function makes = c.now("ibv_create_srq");
    c.does(
        "ibv_create_srq",
        a -> {
          MemorySegment attr = LibraryInJava.at(a[1], IbvSrqInitAttr.SIZE);
          limits.add(attr.get(JAVA_INT, IbvSrqInitAttr.ATTR + IbvSrqAttr.SRQ_LIMIT));
          return makes.call(a);
        });
    context.allocPd().createSrq(new SrqInitAttr(null, 4, 1, 3));
    assertEquals(List.of(0), limits);
  }

  @Test
  void thereIsNoCompletionQueueWithoutRoom() {
    for (int cqe : new int[] {0, -1}) {
      refused(Errno.EINVAL, () -> context.createCq(cqe));
    }
    assertEquals(List.of(), c.calls);
  }

  /** An object that a running call uses is destroyed after that call. */
  @Test
  void whatACreationNamesIsNotDestroyedDuringIt() throws InterruptedException {
    pd = context.allocPd();
    cq = context.createCq(1);
    CompletionQueue second = context.createCq(1);
    CompletionChannel channel = context.createCompletionChannel();
    QpInitAttr attr = new QpInitAttr().qpType(QpType.UD).sendCq(cq).recvCq(second);
    attr.cap(new QpCapabilities(1, 1, 1, 1, 0));
    closedMeanwhile("ibv_create_qp", () -> pd.createQp(attr), cq, second, pd);
    closedMeanwhile("ibv_create_cq", () -> context.createCq(1, null, channel, 0), channel);
  }

  private void closedMeanwhile(String function, Runnable creation, AutoCloseable... named)
      throws InterruptedException {
    LibraryInJava.Function makes = c.now(function);
    List<Thread> closers = new ArrayList<>();
    c.does(
        function,
        a -> {
          for (AutoCloseable each : named) {
            closers.add(Thread.ofPlatform().daemon().start(() -> closeQuietly(each)));
          }
          closers.forEach(RefusedCreationTest::await);
          c.calls.add("made");
          return makes.call(a);
        });
    c.calls.clear();
    creation.run();
    for (Thread closer : closers) {
      closer.join(10_000);
    }
    assertEquals(List.of(function, "made"), List.copyOf(c.calls).subList(0, 2));
    assertEquals(2 + named.length, c.calls.size(), c.calls::toString);
  }

  /** Returns when the thread waits or has ended. */
  private static void await(Thread closer) {
    while (closer.isAlive()
        && closer.getState() != Thread.State.WAITING
        && closer.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
  }

  private static void closeQuietly(AutoCloseable object) {
    try {
      object.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
