package org.roce4j.faulty;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SharedReceiveQueue;

/** What can be decorated, and which of its calls a rule may mean. */
final class Calls {
  /** What is decorated. */
  static final Set<Class<?>> TYPES =
      Set.of(
          RdmaDevice.class,
          Context.class,
          ProtectionDomain.class,
          CompletionQueue.class,
          ExtendedCompletionQueue.class,
          CompletionChannel.class,
          QueuePair.class,
          SharedReceiveQueue.class,
          MemoryRegion.class);

  /** Names of calls that a rule may mean. Closing never fails. */
  static final Set<String> NAMES = calls();

  private Calls() {}

  private static Set<String> calls() {
    Set<String> names = new TreeSet<>();
    TYPES.stream()
        .flatMap(type -> Stream.of(type.getMethods()))
        .map(Method::getName)
        .filter(name -> !name.equals("close"))
        .forEach(names::add);
    return names;
  }
}
