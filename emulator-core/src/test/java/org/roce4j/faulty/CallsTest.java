package org.roce4j.faulty;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.EventType.Target;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.WorkRequestBuilder;

/** The calls that a rule can make fail, against all methods of the interfaces. */
class CallsTest {
  /**
   * Methods that read a field of their object, end it, or add a text to the errno of another call;
   * events are not lost by a rule; {@code postOps} is refused by every backend.
   */
  private static final String NEVER_FAIL =
      """
      accessFlags ackEvents address asyncFd beneath cap channel close cmdFd context cq
      cqe describe devName devPath device endPoll fd getAsyncEvent guid handle
      ibdevPath index initAttr iova length lkey memory name nativeHandle nodeType pd
      pollAsyncEvent pollOrThrow postOps postRecvOrThrow postSendOrThrow provider
      qpNum qpType queryDataInOrder readByteLength readCompletionTimestamp
      readCompletionWallclockNs readCvlan readDlidPathBits readFlowTag readImmediate
      readInvalidatedRkey readOpcode readPkeyIndex readQpNum readServiceLevel readSlid
      readSourceQp readTagMatchingInfo readVendorErr readWcFlags recvCq rkey sendCq
      sqSigAll srq srqNum srqType state status statusValue transportType userContext
      whyFailed whyRecvRefused whySendRefused wrId xrcd
      """;

  @Test
  void aRuleCanNameEachCallThatMayFail() {
    Set<String> others =
        new TreeSet<>(
            Calls.TYPES.stream()
                .filter(type -> type != WorkRequestBuilder.class)
                .flatMap(type -> Stream.of(type.getMethods()))
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .map(Method::getName)
                .toList());
    others.removeAll(Calls.NAMES);
    assertEquals(NEVER_FAIL.strip().lines().collect(joining(" ")), String.join(" ", others));
  }

  /** A rule with qpn, or with an event of a queue, matches the calls of such objects alone. */
  @Test
  void theCallsOfAnObjectAreThoseOfItsInterfaces() {
    assertEquals(named(QueuePair.class, WorkRequestBuilder.class), with(Target.QUEUE_PAIR));
    assertEquals(
        named(CompletionQueue.class, ExtendedCompletionQueue.class), with(Target.COMPLETION_QUEUE));
    assertEquals(named(SharedReceiveQueue.class), with(Target.SHARED_RECEIVE_QUEUE));
    assertEquals(Calls.NAMES, with(Target.PORT));
    assertEquals(Calls.NAMES, with(Target.DEVICE));
    assertEquals(Set.of(), with(Target.WORK_QUEUE));
    assertEquals(Set.of(), Calls.with(EnumSet.of(Target.PORT, Target.WORK_QUEUE), ""));
  }

  private static Set<String> with(Target object) {
    return Calls.with(Set.of(object), "");
  }

  private static Set<String> named(Class<?>... types) {
    Set<String> names = new TreeSet<>();
    for (Class<?> type : types) {
      Stream.of(type.getMethods()).map(Method::getName).forEach(names::add);
    }
    names.retainAll(Calls.NAMES);
    return names;
  }
}
