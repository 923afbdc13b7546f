package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.layout.WcLayout;

/** Memory in which lists cannot be read or completions written: EFAULT, and nothing is lost. */
class OddMemoryTest {
  private static final long EFAULT = Errno.EFAULT.number();

  private final Rig rig = new Rig();
  private final SharedReceiveQueue srq = rig.pd.createSrq(new SrqInitAttr(1, 1));
  private final WorkCompletions completions = new WorkCompletions(rig.arena, 4);

  @AfterEach
  void close() {
    rig.close();
  }

  /** Memory that a verb cannot use, with a copy of the given bytes. */
  enum Oddity {
    ON_THE_HEAP {
      @Override
      MemorySegment view(MemorySegment bytes) {
        return MemorySegment.ofArray(bytes.toArray(ValueLayout.JAVA_BYTE));
      }
    },
    READ_ONLY {
      @Override
      MemorySegment view(MemorySegment bytes) {
        return copied(bytes, Arena.ofAuto()).asReadOnly();
      }
    },
    FREED {
      @Override
      MemorySegment view(MemorySegment bytes) {
        try (Arena arena = Arena.ofShared()) {
          return copied(bytes, arena);
        }
      }
    },
    OF_ANOTHER_THREAD {
      @Override
      MemorySegment view(MemorySegment bytes) {
        return CompletableFuture.supplyAsync(() -> copied(bytes, Arena.ofConfined())).join();
      }
    };

    abstract MemorySegment view(MemorySegment bytes);

    static MemorySegment copied(MemorySegment bytes, Arena arena) {
      return arena.allocate(bytes.byteSize(), 64).copyFrom(bytes);
    }
  }

  /** A verb that reads a list at the address. */
  interface Post {
    long of(OddMemoryTest test, QueuePair qp, MemorySegment view, long address);
  }

  private static Stream<Arguments> posts() {
    Post send = (test, qp, view, address) -> qp.postSend(view, address);
    Post receive = (test, qp, view, address) -> qp.postRecv(view, address);
    Post shared = (test, qp, view, address) -> test.srq.postRecv(view, address);
    return Stream.of(Oddity.values())
        .flatMap(
            oddity ->
                Stream.of(
                    Arguments.of("post_send", oddity, send, SendWrLayout.SIZE),
                    Arguments.of("post_recv", oddity, receive, RecvWrLayout.SIZE),
                    Arguments.of("post_srq_recv", oddity, shared, RecvWrLayout.SIZE)));
  }

  /** The list is the second of two empty requests, so its address in heap memory is not 0. */
  @ParameterizedTest(name = "{0}, memory {1}")
  @MethodSource("posts")
  void whatCannotBeReadIsABadAddress(String verb, Oddity oddity, Post post, int size) {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    MemorySegment requests = rig.arena.allocate(2L * size, 64);
    if (verb.equals("post_send")) {
      SendWrLayout.opcode(requests, size, WrOpcode.SEND.value());
    }
    MemorySegment view = oddity.view(requests);
    long expected = oddity == Oddity.READ_ONLY ? PostResult.OK : PostResult.of(Errno.EFAULT, 0);
    assertEquals(expected, post.of(this, qp, view, view.address() + size));
    assertEquals(QpState.RTS, qp.state());
  }

  @ParameterizedTest
  @EnumSource(Oddity.class)
  void whatCannotBeWrittenTakesNoCompletion(Oddity oddity) {
    QueuePair qp = rig.in(QpState.ERR, QpType.RC, 1);
    MemorySegment view = oddity.view(completions.memory());
    assertEquals(0, qp.postRecv(rig.receive().wrId(7))); // is flushed
    assertEquals(-EFAULT, rig.cq.poll(view, view.address(), 1));
    assertEquals(1, rig.cq.poll(completions));
    assertEquals(7, completions.wrId(0));
  }

  @Test
  void aHeapListAtTheAddressThatMeansNoListIsRefusedToo() {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    MemorySegment heap = MemorySegment.ofArray(new byte[2 * SendWrLayout.SIZE]);
    assertEquals(PostResult.of(Errno.EFAULT, 0), qp.postSend(heap, heap.address()));
    assertEquals(PostResult.of(Errno.EFAULT, 0), qp.postRecv(heap, heap.address()));
    MemorySegment array = MemorySegment.ofArray(new byte[WcLayout.SIZE]);
    assertEquals(-EFAULT, rig.cq.poll(array, array.address(), 1));
  }

  @Test
  void inlineDataOfARegionWhoseMemoryIsFreedIsABadAddress() {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    Arena freed = Arena.ofShared();
    MemoryRegion region = rig.pd.registerMemory(freed.allocate(8), 0);
    SendRequestList send = rig.request(WrOpcode.SEND).flags(SendFlags.INLINE);
    send.sge(region.address(), 8, region.lkey());
    freed.close();
    assertEquals(PostResult.of(Errno.EFAULT, 0), qp.postSend(send));
  }

  @Test
  void anElementWithoutBytesMayPointAnywhere() {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    SendRequestList send = rig.request(WrOpcode.SEND).flags(SendFlags.INLINE);
    send.sge(0, 0, 0).sge(Long.MIN_VALUE, 0, 0);
    assertEquals(0, qp.postSend(send));
    assertEquals(0, qp.postSend(rig.request(WrOpcode.SEND).sge(0, 0, 0)));
    RecvRequestList receive = rig.receive().sge(Long.MIN_VALUE, 0, 0);
    assertEquals(0, qp.postRecv(receive));
    SendRequestList one = rig.request(WrOpcode.SEND).flags(SendFlags.INLINE).sge(8, 1, 0);
    assertEquals(EFAULT, qp.postSend(one), "nothing is mapped there");
    assertTrue(qp.whySendRefused(one, (int) EFAULT).contains("inline data"));
  }
}
