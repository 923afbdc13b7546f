package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.junit.Connected;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** Each argument of each call of an end, if missing, is EINVAL with its name. */
class MissingArgumentsTest {
  private record Point(int x, int y) {}

  private static final Map<Class<?>, Object> PRESENT =
      Map.of(
          String.class,
          "text",
          byte[].class,
          new byte[8],
          ByteBuffer.class,
          ByteBuffer.allocate(8),
          MemorySegment.class,
          MemorySegment.ofArray(new byte[8]),
          Record.class,
          new Point(1, 2),
          Class.class,
          Point.class,
          Duration.class,
          Duration.ZERO,
          int.class,
          8,
          long.class,
          0L);

  @Test
  @EmulatedRdma
  void isNamed(@Connected RcPair pair, @Connected UdPair datagrams) {
    RemoteBuffer remote = pair.server().expose(64).key();
    Map<String, Object> told = new TreeMap<>();
    refuse(pair.client(), remote, told);
    refuse(datagrams.client(), datagrams.server().address(), told);
    told.values().removeIf(VerbsException.class::isInstance);
    assertEquals(Map.of(), told);
  }

  /** Calls every method once for each argument that may be missing. */
  private static void refuse(MessageEnd end, Object other, Map<String, Object> told) {
    int calls = 0;
    for (Method method : end.getClass().getMethods()) {
      Class<?>[] types = method.getParameterTypes();
      if (!MessageEnd.class.isAssignableFrom(method.getDeclaringClass())
          || Modifier.isStatic(method.getModifiers())) {
        continue;
      }
      for (int missing = 0; missing < types.length; missing++) {
        if (!types[missing].isPrimitive()) {
          Object[] arguments =
              Arrays.stream(types).map(type -> PRESENT.getOrDefault(type, other)).toArray();
          arguments[missing] = null;
          told.put(method + " " + missing, call(end, method, arguments));
          calls++;
        }
      }
    }
    assertTrue(calls > 10, calls + " calls");
  }

  private static Object call(MessageEnd end, Method method, Object[] arguments) {
    try {
      return "answered " + method.invoke(end, arguments);
    } catch (InvocationTargetException e) {
      return e.getCause() instanceof VerbsException refused
              && refused.errno() == Errno.EINVAL
              && refused.remedy().endsWith("is missing: it must not be null")
          ? refused
          : e.getCause();
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  /** If the system promises any amount of memory, the memory would be zeroed. */
  @Test
  @EmulatedRdma
  @EnabledOnOs(OS.LINUX)
  void memoryThatIsNotThereIsRefused(@Connected RcPair pair) throws IOException {
    Path promises = Path.of("/proc/sys/vm/overcommit_memory");
    assumeFalse(Files.readString(promises).strip().equals("1"));
    ConnectionOptions endless =
        ConnectionOptions.DEFAULT.withMessageBytes(1 << 30).withDepth(32768);
    VerbsException refused =
        Expect.refused(
            Errno.ENOMEM,
            () -> RcPair.connect(pair.client().context(), pair.server().context(), endless));
    assertTrue(refused.remedy().contains("choose a smaller messageBytes"), refused.remedy());
  }
}
