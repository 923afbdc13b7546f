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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.device.Refusals;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;

/** Each argument of each call of an end, if missing, is EINVAL with its name. */
class MissingArgumentsTest extends ConnectRig {
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
  void isNamed() {
    UdPair datagrams = UdPair.connect(near, far);
    RemoteBuffer remote = pair.server().expose(64).key();
    Map<String, Object> told = new TreeMap<>();
    refuse(pair.client(), remote, told);
    refuse(datagrams.client(), datagrams.server().address(), told);
    datagrams.close();
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

  @Test
  void isNamedWhereEndsAreMade() {
    Map<Class<?>, Object> present =
        Map.of(
            RdmaDevice.class,
            nearDevice,
            Context.class,
            near,
            String.class,
            "127.0.0.1",
            ConnectionOptions.class,
            ConnectionOptions.DEFAULT,
            int.class,
            1);
    Map<String, Object> told = new TreeMap<>();
    for (Class<?> type : List.of(Connection.class, DatagramEnd.class, RcPair.class, UdPair.class)) {
      for (Method method : type.getDeclaredMethods()) {
        if (Modifier.isStatic(method.getModifiers()) && Modifier.isPublic(method.getModifiers())) {
          Class<?>[] types = method.getParameterTypes();
          for (int missing = 0; missing < types.length; missing++) {
            if (!types[missing].isPrimitive()) {
              Object[] arguments = Stream.of(types).map(present::get).toArray();
              arguments[missing] = null;
              told.put(method + " " + missing, call(null, method, arguments));
            }
          }
        }
      }
    }
    assertTrue(told.size() > 20, told.size() + " calls");
    told.values().removeIf(VerbsException.class::isInstance);
    assertEquals(Map.of(), told);
  }

  /** If the system promises any amount of memory, the memory would be zeroed. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void memoryThatIsNotThereIsRefused() throws IOException {
    Path promises = Path.of("/proc/sys/vm/overcommit_memory");
    assumeFalse(Files.readString(promises).strip().equals("1"));
    ConnectionOptions endless =
        ConnectionOptions.DEFAULT.withMessageBytes(1 << 30).withDepth(32768);
    VerbsException refused =
        Refusals.refused(
            Errno.ENOMEM,
            () -> RcPair.connect(pair.client().context(), pair.server().context(), endless));
    assertTrue(refused.remedy().contains("choose a smaller messageBytes"), refused.remedy());
  }
}
