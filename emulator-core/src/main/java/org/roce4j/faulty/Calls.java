package org.roce4j.faulty;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.WorkRequestBuilder;

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
  static final Set<String> NAMES = names();

  /** The calls that post requests. */
  static final Set<String> POSTING = Set.of("postSend", "postRecv", "complete");

  /** Variants of calls: a rule that names the call matches its variants too. */
  private static final Map<String, String> WAYS =
      Map.of("complete", "postSend", "startPoll", "poll");

  private Calls() {}

  private static Set<String> names() {
    Set<String> names = new TreeSet<>();
    VERBS.values().forEach(of -> names.addAll(Set.of(of.split(" "))));
    return Collections.unmodifiableSet(names);
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
