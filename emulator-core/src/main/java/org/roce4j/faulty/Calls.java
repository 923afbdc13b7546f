package org.roce4j.faulty;

import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.EventType.Target;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.text.Wording;

/** The interfaces that can be decorated, and their calls that a rule can match. */
final class Calls {
  /** The decorated interfaces. */
  static final Set<Class<?>> TYPES =
      Set.of(
          RdmaDevice.class,
          Context.class,
          ProtectionDomain.class,
          CompletionQueue.class,
          ExtendedCompletionQueue.class,
          CompletionChannel.class,
          QueuePair.class,
          WorkRequestBuilder.class,
          SharedReceiveQueue.class,
          MemoryRegion.class);

  /**
   * The calls that may fail. Reading a field and closing never fail; the requests of a builder are
   * refused by its {@code complete}.
   */
  private static final Map<Class<?>, String> VERBS =
      Map.of(
          RdmaDevice.class,
          "open",
          Context.class,
          "queryDevice queryDeviceEx queryPort queryGid queryGidEx queryGidTable queryPkey"
              + " pkeyIndex initAhFromWc allocPd allocDm allocTd allocParentDomain importPd"
              + " importDm createCompletionChannel createCq openXrcd createSrq createQp openQp"
              + " createCqEx onAsyncEvent counters",
          ProtectionDomain.class,
          "registerMemory registerDeviceMemory registerDmabuf allocNullMr adviseMr importMr"
              + " allocMemoryWindow createQp createSrq createAh createAhFromWc",
          MemoryRegion.class,
          "reregister",
          CompletionChannel.class,
          "getCqEvent onEvent",
          CompletionQueue.class,
          "poll requestNotification resize modify",
          ExtendedCompletionQueue.class,
          "startPoll nextPoll",
          QueuePair.class,
          "modify query modifyRateLimit queryEce setEce postSend postRecv builder"
              + " bindMemoryWindow attachMulticast detachMulticast",
          WorkRequestBuilder.class,
          "complete",
          SharedReceiveQueue.class,
          "query modify postRecv");

  /** The names of calls that a rule can match. */
  static final Set<String> NAMES = Collections.unmodifiableSet(named(type -> true));

  /** The calls that post requests. */
  static final Set<String> POSTING = Set.of("postSend", "postRecv", "complete");

  /** Variants of calls: a rule that names the call matches its variants too. */
  private static final Map<String, String> WAYS =
      Map.of("complete", "postSend", "startPoll", "poll");

  /** The objects of a program that have events of their own; every call has a port and a device. */
  private static final Map<Target, Class<?>> OBJECTS =
      Map.of(
          Target.QUEUE_PAIR,
          QueuePair.class,
          Target.COMPLETION_QUEUE,
          CompletionQueue.class,
          Target.SHARED_RECEIVE_QUEUE,
          SharedReceiveQueue.class);

  /** Objects whose calls are those of another one. */
  private static final Map<Class<?>, Class<?>> PARTS =
      Map.of(
          WorkRequestBuilder.class,
          QueuePair.class,
          ExtendedCompletionQueue.class,
          CompletionQueue.class);

  private Calls() {}

  private static Set<String> named(Predicate<Class<?>> types) {
    Set<String> names = new TreeSet<>();
    VERBS.forEach(
        (type, of) -> {
          if (types.test(type)) {
            names.addAll(Set.of(of.split(" ")));
          }
        });
    return names;
  }

  /**
   * The calls that have these objects.
   *
   * @param call name of the only call that is wanted; empty: all
   */
  static Set<String> with(Set<Target> objects, String call) {
    Set<String> with = named(type -> objects.stream().allMatch(object -> has(object, type)));
    with.removeIf(name -> !call.isEmpty() && !name.equals(call));
    return with;
  }

  /** The objects of such calls in words, behind the calls; empty: any. */
  static String inWords(Target object) {
    return OBJECTS.containsKey(object)
        ? Wording.of(" of %ss", object.name().toLowerCase(Locale.ROOT).replace('_', ' '))
        : "";
  }

  /**
   * Whether the calls of a type have such an object.
   *
   * @param type type of the object that is called; a builder's is that of its queue pair
   */
  private static boolean has(Target target, Class<?> type) {
    Class<?> object = OBJECTS.get(target);
    return object == null
        ? target != Target.WORK_QUEUE
        : object.isAssignableFrom(PARTS.getOrDefault(type, type));
  }

  /** Whether a call of this object has an object of that kind. */
  static boolean has(Target target, Object object) {
    return has(target, object.getClass());
  }

  /** Whether a call may fail. */
  static boolean mayFail(String call) {
    return NAMES.contains(call);
  }

  /** Whether a rule that names {@code named}, or no call, matches a call. */
  static boolean isMeant(String named, String call) {
    return named.isEmpty() || named.equals(call) || named.equals(WAYS.get(call));
  }
}
