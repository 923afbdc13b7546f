package org.roce4j.hardware.bindings;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.hardware.LibraryRefusals.refused;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.SendWrLayout;

/** Against a driver whose functions are written in Java. */
class DataPathTest {
  private static final long QUEUE = 0x7000_1000L;
  private static final int CALLS = 20_000;

  @AutoClose private final Arena arena = Arena.ofShared();
  private final SendRequestList sends = new SendRequestList(arena, 4, 1, 0);
  private final RecvRequestList receives = new RecvRequestList(arena, 4, 1);
  private final WorkCompletions completions = new WorkCompletions(arena, 4);
  private DriverInJava driver;
  private DataPath path;

  @BeforeEach
  void open() throws ReflectiveOperationException {
    driver = new DriverInJava(arena);
    path = new DataPath(driver.context.address());
    for (int i = 0; i < 4; i++) {
      sends.add().wrId(i).opcode(WrOpcode.SEND).sge(64L * i, 64, 7);
      receives.add().wrId(i).sge(64L * i, 64, 7);
    }
  }

  @Test
  void aListIsHandedToTheDriverAsItLies() {
    assertEquals(PostResult.OK, path.postSend(QUEUE, sends.memory(), sends.address()));
    assertEquals(PostResult.OK, path.postRecv(QUEUE, receives.memory(), receives.address()));
    assertEquals(PostResult.OK, path.postSrqRecv(QUEUE, receives.memory(), receives.address()));
    String first = Long.toHexString(receives.address());
    assertEquals(
        List.of(
            "send 70001000 " + Long.toHexString(sends.address()),
            "recv 70001000 " + first,
            "srq 70001000 " + first),
        driver.calls);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void aRefusalNamesTheFirstRequestNotPosted(int index) {
    driver.errno = Errno.ENOMEM.number();
    driver.badWr = sends.address() + (long) index * SendWrLayout.SIZE;
    long result = path.postSend(QUEUE, sends.memory(), sends.address());
    assertEquals(Errno.ENOMEM.number(), PostResult.errno(result));
    assertEquals(index, PostResult.badIndex(result));
  }

  /** Some drivers return -1 for 1, as the kernel does. */
  @Test
  void aDriverMayReturnItsErrnoNegated() {
    driver.errno = -Errno.ENOMEM.number();
    long result = path.postRecv(QUEUE, receives.memory(), receives.address());
    assertEquals(Errno.ENOMEM.number(), PostResult.errno(result));
    assertEquals(0, PostResult.badIndex(result));
  }

  @Test
  void aDriverThatDoesNotSayWhereItStoppedStoppedAtTheFirst() {
    driver.errno = Errno.EINVAL.number();
    long result = path.postRecv(QUEUE, receives.memory(), receives.address());
    assertEquals(0, PostResult.badIndex(result));
  }

  @Test
  void aDriverThatSaysThatItStoppedNowhereStoppedAtTheFirst() {
    driver.errno = Errno.EINVAL.number();
    driver.badWr = DriverInJava.NULL;
    long result = path.postSend(QUEUE, sends.memory(), sends.address());
    assertEquals(Errno.EINVAL.number(), PostResult.errno(result));
    assertEquals(0, PostResult.badIndex(result));
  }

  @Test
  void aListMayBeginInTheMiddleOfItsMemory() {
    driver.errno = Errno.EINVAL.number();
    driver.badWr = sends.address() + 2L * SendWrLayout.SIZE;
    long second = sends.address() + SendWrLayout.SIZE;
    long result = path.postSend(QUEUE, sends.memory(), second);
    assertEquals(List.of("send 70001000 " + Long.toHexString(second)), driver.calls);
    assertEquals(1, PostResult.badIndex(result));
  }

  @Test
  void anEmptyListNeedsNoDriver() {
    assertEquals(PostResult.OK, path.postSend(QUEUE, sends.memory(), 0));
    assertEquals(List.of(), driver.calls);
  }

  @Test
  void aHeapSegmentHasNoAddressForTheDriver() {
    MemorySegment heap = MemorySegment.ofArray(new long[64]);
    assertEquals(Errno.EFAULT.number(), PostResult.errno(path.postSend(QUEUE, heap, 16)));
    assertEquals(Errno.EFAULT.number(), PostResult.errno(path.postSend(QUEUE, heap, 0)));
    assertEquals(-Errno.EFAULT.number(), path.pollCq(QUEUE, heap, heap.address(), 1));
    assertEquals(List.of(), driver.calls);
  }

  @Test
  void completionsAreNotWrittenIntoReadOnlyMemoryByTheDriverEither() {
    MemorySegment readOnly = completions.memory().asReadOnly();
    int result = path.pollCq(QUEUE, readOnly, completions.address(), 1);
    assertEquals(-Errno.EFAULT.number(), result);
    assertEquals(List.of(), driver.calls);
  }

  @Test
  void aReadOnlyListIsPosted() {
    MemorySegment readOnly = sends.memory().asReadOnly();
    assertEquals(PostResult.OK, path.postSend(QUEUE, readOnly, sends.address()));
  }

  @Test
  void memoryOfAnotherThreadNeverReachesTheDriver() throws InterruptedException {
    long[] results = new long[2];
    try (Arena confined = Arena.ofConfined()) {
      SendRequestList theirs = new SendRequestList(confined, 1, 1, 0).add();
      WorkCompletions array = new WorkCompletions(confined, 1);
      Thread other =
          new Thread(
              () -> {
                results[0] = path.postSend(QUEUE, theirs.memory(), theirs.address());
                results[1] = path.pollCq(QUEUE, array.memory(), array.address(), 1);
              });
      other.start();
      other.join();
    }
    assertEquals(PostResult.of(Errno.EFAULT, 0), results[0]);
    assertEquals(-Errno.EFAULT.number(), results[1]);
    assertEquals(List.of(), driver.calls);
  }

  @Test
  void aListWhoseMemoryIsFreedNeverReachesTheDriver() {
    SendRequestList freed = new SendRequestList(1, 1, 0);
    freed.add();
    long address = freed.address();
    freed.close();
    long result = path.postSend(QUEUE, freed.memory(), address);
    assertEquals(PostResult.of(Errno.EFAULT, 0), result);
    assertEquals(List.of(), driver.calls);
  }

  @Test
  void completionsAreWrittenIntoTheArray() {
    driver.completions.addAll(List.of(11L, 12L, 13L));
    assertEquals(2, path.pollCq(QUEUE, completions.memory(), completions.address(), 2));
    assertEquals(11, completions.wrId(0));
    assertEquals(12, completions.wrId(1));
    assertEquals(1, path.pollCq(QUEUE, completions.memory(), completions.address(), 4));
    assertEquals(13, completions.wrId(0));
    assertEquals(List.of("poll 70001000 2", "poll 70001000 4"), driver.calls);
  }

  @Test
  void anArrayWhoseMemoryIsFreedNeverReachesTheDriver() {
    WorkCompletions freed = new WorkCompletions(1);
    freed.close();
    int result = path.pollCq(QUEUE, freed.memory(), freed.address(), 1);
    assertEquals(-Errno.EFAULT.number(), result);
    assertEquals(List.of(), driver.calls);
  }

  @Test
  void aListThatIsNotInItsMemoryNeverReachesTheDriver() {
    for (long address : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, sends.address() - 8}) {
      long result = path.postSend(QUEUE, sends.memory(), address);
      assertEquals(PostResult.of(Errno.EFAULT, 0), result);
    }
    assertEquals(List.of(), driver.calls);
  }

  @Test
  void aChainThatLeavesItsMemoryIsBadWhereItLeaves() {
    driver.errno = Errno.EINVAL.number();
    driver.badWr = 0x1000;
    SendWrLayout.next(sends.memory(), SendWrLayout.SIZE, 0x1000);
    long result = path.postSend(QUEUE, sends.memory(), sends.address());
    assertEquals(PostResult.of(Errno.EINVAL, 2), result);
  }

  @Test
  void aFailedPollIsNegative() {
    driver.errno = Errno.EOVERFLOW.number();
    assertTrue(path.pollCq(QUEUE, completions.memory(), completions.address(), 1) < 0);
  }

  @Test
  void noMoreEntriesArePolledThanTheMemoryHolds() {
    int fault = -Errno.EFAULT.number();
    assertEquals(fault, path.pollCq(QUEUE, completions.memory(), completions.address(), 5));
    assertEquals(fault, path.pollCq(QUEUE, completions.memory(), completions.address() - 1, 1));
    assertEquals(fault, path.pollCq(QUEUE, completions.memory(), Long.MIN_VALUE, 1));
    int invalid = -Errno.EINVAL.number();
    assertEquals(invalid, path.pollCq(QUEUE, completions.memory(), completions.address(), -1));
    assertEquals(0, path.pollCq(QUEUE, completions.memory(), completions.address(), 0));
    assertEquals(List.of(), driver.calls);
  }

  @Test
  void arming() {
    assertEquals(0, path.reqNotifyCq(QUEUE, true));
    assertEquals(0, path.reqNotifyCq(QUEUE, false));
    assertEquals(List.of("arm 70001000 1", "arm 70001000 0"), driver.calls);
  }

  @Test
  void aDriverWithoutWindowsSaysSo() {
    try (Frame frame = new Frame()) {
      refused(Errno.EOPNOTSUPP, () -> path.allocMw(frame, QUEUE, 1));
      assertEquals(Errno.EOPNOTSUPP.number(), path.bindMw(frame, QUEUE, QUEUE, 1, 0, 0, 0, 0, 0));
    }
  }

  @Test
  void aDriverWithoutSharedReceiveQueuesSaysSo() {
    MemorySegment without = DriverInJava.doingNothing(arena);
    without.set(JAVA_LONG, Structures.IbvContext.POST_SRQ_RECV, 0);
    long result =
        new DataPath(without.address()).postSrqRecv(QUEUE, sends.memory(), sends.address());
    assertEquals(PostResult.of(Errno.EOPNOTSUPP, 0), result);
  }

  @Test
  void aContextWithoutFunctionsIsNotTheOneWeKnow() {
    MemorySegment nothing = arena.allocate(Structures.IbvContext.SIZE, 8);
    refused(Errno.ELIBBAD, () -> new DataPath(nothing.address()));
  }

  @Test
  void postingAndPollingAllocateNothing() {
    DataPath idle = new DataPath(DriverInJava.doingNothing(arena).address());
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    // Code that is not compiled yet boxes and allocates, so the last rounds count.
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 12 && least > 0; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < CALLS; i++) {
        idle.postSend(QUEUE, sends.memory(), sends.address());
        idle.postRecv(QUEUE, receives.memory(), receives.address());
        idle.pollCq(QUEUE, completions.memory(), completions.address(), 4);
        idle.reqNotifyCq(QUEUE, false);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertTrue(least < CALLS, least + " bytes for " + CALLS + " rounds");
  }
}
