package org.roce4j.calls;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.Wrapper;

/**
 * Every verb with each argument null, with numbers out of range, and on a closed object gives an
 * errno with a message; nothing is lost or half done.
 */
class BadCallsTest extends PlayedCalls {
  /** Arguments for which null has a documented meaning. */
  private static final Set<String> MAY_BE_NULL =
      Set.of(
          "Context.createCq(userContext)",
          "Context.createCq(channel)",
          "Context.onAsyncEvent(hook)",
          "CompletionChannel.onEvent(hook)",
          "MemoryRegion.reregister(newPd)",
          "QueuePair.bindMemoryWindow(region)",
          "WorkRequestBuilder.bindMemoryWindow(region)");

  /** Creation attributes of an object, which it reports after its destruction, too. */
  private static final Set<String> TOLD_FOR_EVER =
      Set.of(
          "AddressHandle.attr",
          "CompletionQueue.channel",
          "CompletionQueue.cqe",
          "Context.device",
          "DeviceMemory.length",
          "MemoryRegion.accessFlags",
          "MemoryRegion.address",
          "MemoryRegion.iova",
          "MemoryRegion.length",
          "MemoryRegion.lkey",
          "MemoryRegion.memory",
          "MemoryRegion.rkey",
          "MemoryWindow.rkey",
          "MemoryWindow.type",
          "QueuePair.cap",
          "QueuePair.initAttr",
          "QueuePair.qpNum",
          "QueuePair.qpType",
          "QueuePair.recvCq",
          "QueuePair.sendCq",
          "QueuePair.sqSigAll",
          "QueuePair.srq",
          "SharedReceiveQueue.cq",
          "SharedReceiveQueue.srqType",
          "SharedReceiveQueue.xrcd");

  private static final Set<String> TOLD_BY_ALL =
      Set.of(
          "beneath",
          "context",
          "describe",
          "handle",
          "nativeHandle",
          "pd",
          "userContext",
          "whyFailed",
          "whyRecvRefused",
          "whySendRefused");

  /** Fields that no completion of this device has, and features that this device lacks. */
  private static final Set<String> NEVER_TOLD =
      Set.of(
          "CompletionChannel.fd",
          "Context.asyncFd",
          "Context.cmdFd",
          "Context.importDm",
          "Context.importPd",
          "ExtendedCompletionQueue.readCvlan",
          "ExtendedCompletionQueue.readFlowTag",
          "ExtendedCompletionQueue.readTagMatchingInfo",
          "ProtectionDomain.importMr",
          "ProtectionDomain.registerDmabuf",
          "QueuePair.queryEce",
          "QueuePair.setEce",
          "SharedReceiveQueue.postOps");

  /** Numbers that are accepted: any number, or this one. */
  private static final Set<String> TAKEN =
      Set.of(
          "Context.pkeyIndex(pkey)",
          "QueuePair.bindMemoryWindow(wrId)",
          "QueuePair.bindMemoryWindow(sendFlags)",
          "QueuePair.bindMemoryWindow(address)",
          "QueuePair.bindMemoryWindow(accessFlags) " + Integer.MIN_VALUE,
          "ProtectionDomain.registerMemory(iova) " + Long.MIN_VALUE,
          "MemoryRegion.reregister(newAccessFlags) -1",
          "CompletionQueue.ackEvents(count) " + Integer.MAX_VALUE,
          "CompletionQueue.poll(max) " + Integer.MAX_VALUE,
          "CompletionChannel.getCqEvent(timeoutNs) " + Long.MAX_VALUE,
          "Context.getAsyncEvent(timeoutNs) " + Long.MAX_VALUE,
          "QueuePair.query(mask)",
          "QueuePair.queryDataInOrder(flags)",
          "QueuePair.whySendRefused(firstWr)",
          "QueuePair.whySendRefused(result)",
          "QueuePair.whySendRefused(errno)",
          "QueuePair.whyRecvRefused(firstWr)",
          "QueuePair.whyRecvRefused(result)",
          "QueuePair.whyRecvRefused(errno)",
          "SharedReceiveQueue.whyRecvRefused(firstWr)",
          "SharedReceiveQueue.whyRecvRefused(result)",
          "SharedReceiveQueue.whyRecvRefused(errno)",
          "VerbsProvider.importDevice(cmdFd)");

  /** Numbers that are refused by a completion. */
  private static final Set<String> REFUSED_LATER = Set.of("QueuePair.bindMemoryWindow(length)");

  /** Errors that a builder reports before the end of its batch. */
  private static final Set<String> REFUSED_AT_ONCE =
      Set.of("WorkRequestBuilder.setSge(offset)", "WorkRequestBuilder.setSge(bytes)");

  /** Arguments that are memory of the program. */
  private static final Set<Class<?>> WITH_MEMORY =
      Set.of(
          MemorySegment.class, SendRequestList.class, RecvRequestList.class, WorkCompletions.class);

  private static boolean isDestroyable(Class<?> owner) {
    return AutoCloseable.class.isAssignableFrom(owner);
  }

  // ---- null

  @Test
  void everyVerbIsInTheTable() {
    assertTrue(VerbMethod.all().size() > 100, () -> VerbMethod.all().size() + " verbs");
    assertTrue(nulls().count() > 30, () -> nulls().count() + " arguments");
    assertEquals(0, MAY_BE_NULL.stream().filter(name -> !isArgument(name)).count());
  }

  private static boolean isArgument(String name) {
    return nulls().anyMatch(row -> name.equals(name(row)));
  }

  private static String name(Arguments row) {
    return ((VerbMethod) row.get()[0]).name((int) row.get()[1]);
  }

  static Stream<VerbMethod> verbs() {
    return VerbMethod.all().stream()
        .filter(verb -> verb.owner() != Wrapper.class); // a program's own
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("verbs")
  void succeedsWithTheArgumentsOfTheTable(VerbMethod verb) throws Throwable {
    try (LiveObjects objects = live()) {
      if (verb.method().getName().equals("close")) {
        objects.destroy(verb.owner());
        return;
      }
      if (NEVER_TOLD.contains(verb.name())) {
        Object[] arguments = objects.arguments(verb);
        assertThrows(VerbsException.class, () -> verb.call(objects.target(verb), arguments));
        return;
      }
      Object result = verb.call(objects.target(verb), objects.arguments(verb));
      boolean posts = verb.method().getName().startsWith("post") || verb.name().endsWith("Window");
      if (posts && result instanceof Number errno) {
        assertEquals(0, errno.longValue());
      }
    }
  }

  static Stream<Arguments> nulls() {
    return verbs().flatMap(verb -> verb.parameters(false).map(index -> Arguments.of(verb, index)));
  }

  @ParameterizedTest(name = "{0}, argument {1}")
  @MethodSource("nulls")
  void namesTheArgumentThatIsNullAndChangesNothing(VerbMethod verb, int index) throws Throwable {
    try (LiveObjects objects = live()) {
      Object[] arguments = objects.arguments(verb);
      arguments[index] = null;
      if (MAY_BE_NULL.contains(verb.name(index))) {
        close(verb, verb.call(objects.target(verb), arguments));
      } else {
        VerbsException e =
            assertThrows(VerbsException.class, () -> verb.call(objects.target(verb), arguments));
        assertEquals(Errno.EINVAL, e.errno());
        String name = verb.parameter(index).getName();
        assertTrue(e.remedy().contains(name), () -> name + " is not in: " + e.remedy());
      }
      objects.works();
      objects.destroy(Context.class);
    }
  }

  /** Destroys the result of a verb. */
  private static void close(VerbMethod verb, Object result) throws Exception {
    String method = verb.method().getName();
    if (Stream.of("create", "alloc", "register", "open").anyMatch(method::startsWith)) {
      ((AutoCloseable) result).close();
    }
  }

  // ---- memory

  static Stream<Arguments> memories() {
    return verbs()
        .flatMap(
            verb ->
                verb.parameters(false)
                    .filter(index -> WITH_MEMORY.contains(verb.parameter(index).getType()))
                    .flatMap(
                        index ->
                            Stream.of(true, false).map(freed -> Arguments.of(verb, index, freed))));
  }

  @ParameterizedTest(name = "{0}, argument {1}: freed {2}, else of another thread")
  @MethodSource("memories")
  void refusesMemoryThatItCannotReachAndChangesNothing(VerbMethod verb, int index, boolean freed)
      throws Throwable {
    try (LiveObjects objects = live();
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      Arena arena = other.submit(freed ? Arena::ofShared : Arena::ofConfined).get();
      Class<?> type = verb.parameter(index).getType();
      Object[] arguments = objects.arguments(verb);
      arguments[index] = other.submit(() -> in(arena, type, arguments[index])).get();
      if (freed) {
        arena.close();
      }
      if (verb.method().getName().equals("setSgeList")) {
        arguments[1] = 1; // of none nothing is read
      }
      if (verb.method().getName().endsWith("Refused")) { // which tells just that
        assertDoesNotThrow(() -> verb.call(objects.target(verb), arguments));
      } else {
        Set<Errno> errnos = Set.of(Errno.EINVAL, Errno.EFAULT);
        Optional<Errno> refused = refusal(verb, objects, arguments);
        if (verb.owner() == WorkRequestBuilder.class) {
          assertEquals(Optional.empty(), refused);
          int errno = ((WorkRequestBuilder) objects.target(verb)).complete();
          refused = Optional.ofNullable(Errno.of(errno));
        }
        assertTrue(refused.filter(errnos::contains).isPresent(), refused::toString);
      }
      objects.works();
      objects.destroy(Context.class);
      if (!freed) {
        other.submit(arena::close).get();
      }
    }
  }

  /** As the good one, in that arena. */
  private static Object in(Arena arena, Class<?> type, Object good) {
    if (type == SendRequestList.class) {
      return new SendRequestList(arena, 1, 1, 0).add();
    } else if (type == RecvRequestList.class) {
      return new RecvRequestList(arena, 1, 1).add();
    } else if (type == WorkCompletions.class) {
      return new WorkCompletions(arena, 1);
    }
    return arena.allocate(((MemorySegment) good).byteSize());
  }

  // ---- closed objects

  static Stream<VerbMethod> verbsOfWhatCanBeDestroyed() {
    return verbs()
        .filter(verb -> isDestroyable(verb.owner()))
        .filter(verb -> !NEVER_TOLD.contains(verb.name()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("verbsOfWhatCanBeDestroyed")
  void saysThatTheObjectIsGone(VerbMethod verb) {
    try (LiveObjects objects = live()) {
      Object[] arguments = objects.arguments(verb);
      Object target = objects.target(verb);
      objects.destroy(verb.owner());
      String method = verb.method().getName();
      if (TOLD_FOR_EVER.contains(verb.name()) || TOLD_BY_ALL.contains(method)) {
        assertDoesNotThrow(() -> verb.call(target, arguments));
        return;
      }
      switch (method) {
        case "close", "ackEvents", "endPoll" ->
            assertDoesNotThrow(() -> verb.call(target, arguments));
        case "postSend", "postRecv", "poll", "startPoll", "nextPoll" ->
            assertEquals(
                Errno.EINVAL.number(),
                assertDoesNotThrow(() -> errnoOf((Number) verb.call(target, arguments))));
        default -> {
          VerbsException e = assertThrows(VerbsException.class, () -> verb.call(target, arguments));
          boolean context = verb.owner() == Context.class;
          assertEquals(context ? Errno.ENODEV : Errno.EINVAL, e.errno());
          String word = context ? "closed" : "destroyed";
          assertTrue(e.remedy().contains(word), e.remedy());
        }
      }
    }
  }

  /** The errno of a post, packed or not, or of a poll. */
  private static int errnoOf(Number result) {
    return result instanceof Long packed ? PostResult.errno(packed) : Math.abs(result.intValue());
  }

  // ---- numbers

  static Stream<Arguments> numbers() {
    return verbs()
        .flatMap(
            verb ->
                verb.parameters(true)
                    .filter(i -> verb.parameter(i).getType() != boolean.class)
                    .flatMap(
                        i ->
                            Stream.of(-1L, Long.MIN_VALUE, Long.MAX_VALUE)
                                .map(value -> Arguments.of(verb, i, number(verb, i, value)))));
  }

  private static Number number(VerbMethod verb, int index, long value) {
    if (verb.parameter(index).getType() == long.class) {
      return value;
    }
    return Math.clamp(value, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  @ParameterizedTest(name = "{0}, argument {1}: {2}")
  @MethodSource("numbers")
  void refusesANumberOutOfRangeAndChangesNothing(VerbMethod verb, int index, Number value)
      throws Throwable {
    try (LiveObjects objects = live()) {
      Object[] arguments = objects.arguments(verb);
      arguments[index] = value;
      Optional<Errno> refused =
          refusal(
              verb,
              objects,
              arguments,
              told -> Told.value(verb.parameter(index).getName(), value, told));
      String name = verb.name(index);
      if (REFUSED_LATER.contains(name)) {
        assertEquals(Optional.empty(), refused);
        return;
      }
      boolean taken =
          (verb.owner() == WorkRequestBuilder.class && !REFUSED_AT_ONCE.contains(name))
              || TAKEN.contains(name)
              || TAKEN.contains(name + " " + value);
      assertEquals(taken, refused.isEmpty(), () -> name + " " + value + ": " + refused);
      objects.works();
      objects.destroy(Context.class);
    }
  }

  private static Optional<Errno> refusal(VerbMethod verb, LiveObjects objects, Object[] arguments)
      throws Throwable {
    return refusal(verb, objects, arguments, told -> {});
  }

  /**
   * @param told gets the exception of a verb that throws
   */
  private static Optional<Errno> refusal(
      VerbMethod verb, LiveObjects objects, Object[] arguments, Consumer<VerbsException> told)
      throws Throwable {
    try {
      Object result = verb.call(objects.target(verb), arguments);
      String method = verb.method().getName();
      if (method.startsWith("post") || method.equals("poll") && (int) result < 0) {
        return Optional.ofNullable(Errno.of(errnoOf((Number) result)));
      }
      close(verb, result);
      return Optional.empty();
    } catch (VerbsException e) {
      told.accept(e);
      return Optional.of(e.errno());
    }
  }
}
