package org.roce4j.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.bench.Expect.refused;

import java.util.function.ObjIntConsumer;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.layout.WcLayout;

/**
 * Lists with a bad request in the middle, and arrays of wrong sizes: requests before the bad one
 * are posted, and no completion is lost.
 */
class BadListsTest extends PlayedCalls {
  private static final int GOOD = 2;
  private static final int ENTRIES = 4;

  @AutoClose private final LiveObjects objects = live();

  /** The fault of the third request, and the words of the refusal. */
  private record Fault(
      String name,
      Errno errno,
      ObjIntConsumer<SendRequestList> ofSend,
      ObjIntConsumer<RecvRequestList> ofReceive) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final Fault[] FAULTS = {
    new Fault(
        "its scatter/gather list is null",
        Errno.EFAULT,
        (list, at) -> SendWrLayout.sgList(list.memory(), at, 0),
        (list, at) -> RecvWrLayout.sgList(list.memory(), at, 0)),
    new Fault(
        "its scatter/gather list lies outside",
        Errno.EFAULT,
        (list, at) -> SendWrLayout.sgList(list.memory(), at, Long.MIN_VALUE),
        (list, at) -> RecvWrLayout.sgList(list.memory(), at, Long.MIN_VALUE)),
    new Fault(
        "it has more elements than the queue takes",
        Errno.EINVAL,
        (list, at) -> SendWrLayout.numSge(list.memory(), at, Integer.MAX_VALUE),
        (list, at) -> RecvWrLayout.numSge(list.memory(), at, Integer.MAX_VALUE)),
    new Fault(
        "it has fewer elements than none",
        Errno.EINVAL,
        (list, at) -> SendWrLayout.numSge(list.memory(), at, -1),
        (list, at) -> RecvWrLayout.numSge(list.memory(), at, -1)),
    new Fault(
        "it lies outside",
        Errno.EFAULT,
        (list, at) -> SendWrLayout.next(list.memory(), at - SendWrLayout.SIZE, 8),
        (list, at) -> RecvWrLayout.next(list.memory(), at - RecvWrLayout.SIZE, 8)),
  };

  static Stream<Fault> faults() {
    return Stream.of(FAULTS);
  }

  static Stream<Arguments> receives() {
    return faults().flatMap(f -> Stream.of(Arguments.of(f, true), Arguments.of(f, false)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void theSendsBeforeTheBadOneArePosted(Fault fault) {
    objects.works();
    objects.write(ENTRIES);
    fault.ofSend.accept(objects.sends, GOOD * SendWrLayout.SIZE);
    assertEquals(fault.errno.number(), objects.qp.postSend(objects.sends));
    assertEquals(GOOD, objects.sends.badIndex());
    assertEquals(GOOD, objects.completed());
    assertEquals(QpState.RTS, objects.qp.state());
    objects.works();
  }

  @ParameterizedTest(name = "{0}, shared {1}")
  @MethodSource("receives")
  void theReceivesBeforeTheBadOneArePosted(Fault fault, boolean shared) {
    RecvRequestList list = new RecvRequestList(objects.arena, ENTRIES, 1);
    for (int i = 0; i < ENTRIES; i++) {
      objects.addReceive(list);
    }
    fault.ofReceive.accept(list, GOOD * RecvWrLayout.SIZE);
    ToIntFunction<RecvRequestList> post = shared ? objects.srq::postRecv : objects.qp::postRecv;
    assertEquals(fault.errno.number(), post.applyAsInt(list));
    assertEquals(GOOD, list.badIndex());
    objects.works();
    int room = 0;
    list.clear();
    objects.addReceive(list);
    while (post.applyAsInt(list) == 0) {
      room++;
    }
    assertEquals(LiveObjects.DEPTH - GOOD, room);
  }

  @Test
  void aListThatWasFreedPostsNothing() {
    SendRequestList sends = new SendRequestList(2, 1, 0).add();
    RecvRequestList receives = new RecvRequestList(2, 1).add();
    sends.close();
    receives.close();
    int fault = Errno.EFAULT.number();
    assertEquals(fault, objects.qp.postSend(sends));
    assertEquals(fault, objects.qp.postRecv(receives));
    assertEquals(fault, objects.srq.postRecv(receives));
    for (Runnable add : new Runnable[] {sends::add, receives::add}) {
      refused(Errno.EINVAL, add);
    }
    objects.works();
  }

  /** As ibv_post_send and ibv_post_recv do, in each state before the first that posts. */
  @Test
  void aQueuePairThatIsNotConnectedPostsNothing() {
    objects.write(1);
    RecvRequestList receive = new RecvRequestList(objects.arena, 1, 1);
    objects.addReceive(receive);
    try (QueuePair early = objects.pd.createQp(objects.init())) {
      says("RESET", () -> early.postSendOrThrow(objects.sends));
      says("RESET", () -> early.postRecvOrThrow(receive));
      QpBringUp.to(QpState.INIT, early, LiveObjects.attributes(objects.path(), 1));
      says("INIT", () -> early.postSendOrThrow(objects.sends));
      QpBringUp.to(QpState.RTR, early, LiveObjects.attributes(objects.path(), 1));
      says("RTR", () -> early.postSendOrThrow(objects.sends));
    }
    objects.works();
  }

  private static void says(String state, Runnable post) {
    String remedy = refused(Errno.EINVAL, post::run).remedy();
    assertTrue(remedy.contains(state), remedy);
  }

  // ---- polling

  @Test
  void anArrayThatIsTooShortLosesNoCompletion() {
    objects.leave(GOOD + 1);
    long address = objects.completions.address();
    var one = objects.completions.memory().asSlice(0, WcLayout.SIZE);
    assertEquals(1, objects.cq.poll(one, address, GOOD + 1));
    assertEquals(-Errno.EFAULT.number(), objects.cq.poll(one, address + 1, 1));
    assertEquals(-Errno.EFAULT.number(), objects.cq.poll(one, 0, 1));
    assertEquals(GOOD, objects.cq.poll(objects.completions));
    objects.works();
  }

  @Test
  void anArrayThatWasFreedLosesNoCompletion() {
    objects.leave(GOOD);
    WorkCompletions freed = new WorkCompletions(GOOD);
    freed.close();
    assertEquals(-Errno.EFAULT.number(), objects.cq.poll(freed));
    assertEquals(GOOD, objects.cq.poll(objects.completions));
    objects.works();
  }
}
