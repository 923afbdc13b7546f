package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;

/** A completion that was taken from its queue has each field as the queue had it. */
class TakenCompletionTest {
  private static final Set<Class<?>> NUMBERS = Set.of(int.class, long.class);

  @ParameterizedTest
  @ValueSource(ints = {WcFlags.WITH_IMM, WcFlags.WITH_IMM | WcFlags.GRH, WcFlags.WITH_INV})
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
        queue(method -> told.getOrDefault(method.getName(), value(method, 99)));
    TakenCompletion taken = TakenCompletion.standing(cq);
    told.forEach((reader, value) -> assertEquals(value, taken.read(reader), reader));
  }

  /** A hardware queue has no more fields than it was created with. */
  @Test
  void aFieldThatCannotBeReadIsRefusedAgain() {
    VerbsException refusal = new VerbsException(Errno.EOPNOTSUPP, "not asked for");
    ExtendedCompletionQueue cq =
        queue(
            method -> {
              if (method.getName().equals("readCvlan") || method.getName().equals("readSlid")) {
                throw refusal;
              }
              return value(method, 7);
            });
    TakenCompletion taken = TakenCompletion.standing(cq);
    for (String reader : List.of("readCvlan", "readSlid")) {
      VerbsException again = assertThrows(VerbsException.class, () -> taken.read(reader));
      assertEquals(Errno.EOPNOTSUPP, again.errno());
      assertEquals("not asked for", again.remedy());
    }
    assertEquals(7, taken.read("readQpNum"));
  }

  /** A completion with an error has none. */
  @Test
  void anOpcodeMayBeMissing() {
    ExtendedCompletionQueue cq =
        queue(method -> method.getReturnType() == WcOpcode.class ? null : value(method, 7));
    assertNull(TakenCompletion.standing(cq).read("readOpcode"));
  }

  private static ExtendedCompletionQueue queue(Function<Method, Object> answers) {
    return (ExtendedCompletionQueue)
        Proxy.newProxyInstance(
            TakenCompletionTest.class.getClassLoader(),
            new Class<?>[] {ExtendedCompletionQueue.class},
            (proxy, method, arguments) -> answers.apply(method));
  }

  private static Object value(Method method, int number) {
    if (!NUMBERS.contains(method.getReturnType())) {
      return method.getReturnType() == WcOpcode.class ? WcOpcode.RDMA_READ : null;
    }
    return method.getReturnType() == int.class ? (Object) number : (Object) (long) number;
  }
}
