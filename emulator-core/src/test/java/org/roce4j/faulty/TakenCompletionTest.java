package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;

/** A completion that was taken from its queue has each field as the queue had it. */
class TakenCompletionTest {
  private static final Set<Class<?>> NUMBERS = Set.of(int.class, long.class);

  @ParameterizedTest
  @ValueSource(ints = {WcFlags.WITH_IMM, WcFlags.WITH_INV})
  void eachFieldIsItsOwn(int flags) {
    Map<String, Object> told = new LinkedHashMap<>();
    Stream.of(ExtendedCompletionQueue.class.getMethods())
        .filter(method -> TakenCompletion.isReader(method.getName()))
        .sorted((a, b) -> a.getName().compareTo(b.getName()))
        .forEach(method -> told.put(method.getName(), value(method, told.size() + 1)));
    told.replace("readWcFlags", flags);
    // Both are in the same four bytes.
    told.remove(flags == WcFlags.WITH_INV ? "readImmediate" : "readInvalidatedRkey");
    ExtendedCompletionQueue cq =
        (ExtendedCompletionQueue)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ExtendedCompletionQueue.class},
                (proxy, method, arguments) ->
                    told.getOrDefault(method.getName(), value(method, 99)));
    TakenCompletion taken = TakenCompletion.standing(cq);
    told.forEach((reader, value) -> assertEquals(value, taken.read(reader), reader));
  }

  private static Object value(Method method, int number) {
    if (!NUMBERS.contains(method.getReturnType())) {
      return method.getReturnType() == WcOpcode.class ? WcOpcode.RDMA_READ : null;
    }
    return method.getReturnType() == int.class ? (Object) number : (Object) (long) number;
  }
}
