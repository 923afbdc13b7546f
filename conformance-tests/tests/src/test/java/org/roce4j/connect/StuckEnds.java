package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.roce4j.connect.InterruptedCall.Moment;
import org.roce4j.verbs.Context;

/**
 * Connected ends on which every call waits: no message comes, and the one request that the
 * connection may have outstanding is for a peer that has no room for it.
 */
final class StuckEnds implements AutoCloseable {
  /** The calls that are played here. */
  static final Set<String> CALLS =
      Set.of("send", "receive", "receiveString", "write", "read", "fetchAndAdd", "compareAndSwap");

  private static final Duration LONG = Duration.ofDays(365);
  private static final ConnectionOptions PATIENT =
      ConnectionOptions.DEFAULT
          .withDepth(1)
          .withTimeout(LONG)
          .withAttributes(attributes -> attributes.timeout(0));

  /** A message. */
  public record Point(int x, int y) {}

  private final RcPair pair;
  private final UdPair datagrams;
  private final RemoteBuffer remote;
  private final List<Thread> others = new ArrayList<>();

  StuckEnds(Context a, Context b) {
    pair = RcPair.connect(a, b, PATIENT);
    datagrams = UdPair.connect(a, b, PATIENT);
    remote = pair.server().expose(64).key();
    pair.client().send("1"); // nobody takes it, so the next has no room
    Map<String, String> ended = new HashMap<>();
    new InterruptedCall("send", false, Moment.MEANWHILE, () -> call(() -> pair.client().send("2")))
        .tell(ended);
    assertEquals(Map.of(), ended);
  }

  private static Object call(Runnable wait) {
    wait.run();
    return null;
  }

  /** Each call, in every way. */
  Stream<InterruptedCall> callsThatWait(Predicate<Method> waits) {
    return Stream.concat(calls(pair.client(), waits), calls(datagrams.client(), waits));
  }

  private Stream<InterruptedCall> calls(MessageEnd end, Predicate<Method> waits) {
    return Arrays.stream(end.getClass().getMethods())
        .filter(method -> MessageEnd.class.isAssignableFrom(method.getDeclaringClass()))
        .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic())
        .filter(method -> CALLS.contains(method.getName()) && waits.test(method))
        .filter(method -> end instanceof Connection || method.getName().startsWith("receive"))
        .flatMap(method -> Stream.of(true, false).flatMap(virtual -> calls(end, method, virtual)));
  }

  private Stream<InterruptedCall> calls(MessageEnd end, Method method, boolean virtual) {
    return Stream.of(Moment.values())
        .map(moment -> new InterruptedCall(name(method), virtual, moment, () -> call(end, method)));
  }

  private static String name(Method method) {
    return method.getName() + Arrays.toString(method.getParameterTypes());
  }

  private Object call(MessageEnd end, Method method) throws Exception {
    try {
      return method.invoke(
          end, Arrays.stream(method.getParameterTypes()).map(this::argument).toArray());
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private Object argument(Class<?> type) {
    if (type == int.class) {
      return 8;
    } else if (type == long.class) {
      return 0L;
    }
    List<Object> present =
        List.of(
            "text",
            new byte[8],
            ByteBuffer.allocate(8),
            MemorySegment.ofArray(new byte[8]),
            new Point(1, 2),
            Point.class,
            LONG,
            remote);
    return present.stream().filter(type::isInstance).findFirst().orElseThrow();
  }

  /** Lets other threads wait first, on both halves of both ends. */
  void takeTurns() {
    takeTurn(pair.client()::receive);
    takeTurn(datagrams.client()::receive);
    takeTurn(() -> pair.client().send("taken"));
  }

  private void takeTurn(Runnable wait) {
    Thread other = Thread.ofPlatform().daemon().start(wait);
    other.setUncaughtExceptionHandler((thread, interrupted) -> {});
    others.add(other);
    while (!InterruptedCall.sleeps(other)) {
      Thread.onSpinWait();
    }
  }

  void giveTurnsBack() throws InterruptedException {
    others.forEach(Thread::interrupt);
    for (Thread other : others) {
      other.join();
    }
  }

  /** The posted messages arrive, and later ones, too. */
  void work() {
    assertEquals("1", pair.server().receiveString());
    assertEquals("2", pair.server().receiveString());
    pair.client().send("at last");
    assertEquals("at last", pair.server().receiveString());
    pair.server().send("back");
    assertEquals("back", pair.client().receiveString());
  }

  @Override
  public void close() {
    pair.close();
    datagrams.close();
  }
}
