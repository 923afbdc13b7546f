package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each type that has a constant by number: those that there are, beside them, and far away. */
class NumbersTest {
  private static final int BESIDE = 70;

  static List<Class<?>> types() throws IOException, URISyntaxException {
    Path top = Path.of(Errno.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (Stream<Path> files = Files.walk(top.resolve("org/roce4j/verbs"))) {
      return files
          .map(file -> top.relativize(file).toString())
          .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
          .<Class<?>>map(name -> named(name.replace(".class", "").replace('/', '.')))
          .filter(type -> type.isEnum() && byNumber(type) != null)
          .toList();
    }
  }

  private static Class<?> named(String name) {
    try {
      return Class.forName(name, false, NumbersTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Method byNumber(Class<?> type) {
    return Stream.of(type.getMethods())
        .filter(each -> each.getName().equals("of") && Modifier.isStatic(each.getModifiers()))
        .filter(each -> List.of(each.getParameterTypes()).equals(List.of(int.class)))
        .filter(each -> each.getReturnType() == type)
        .findFirst()
        .orElse(null);
  }

  @Test
  void theTypesAreFound() throws Exception {
    assertTrue(types().containsAll(List.of(WcStatus.class, NodeType.class, Errno.class)));
    assertTrue(types().size() >= 20);
  }

  @ParameterizedTest
  @MethodSource("types")
  void eachNumberHasItsConstantAndNoOther(Class<?> type) throws ReflectiveOperationException {
    Method of = byNumber(type);
    Object none = of.invoke(null, Integer.MIN_VALUE);
    Map<Integer, Object> known = new HashMap<>();
    for (Object constant : type.getEnumConstants()) {
      known.putIfAbsent(
          (int) type.getMethod(type == Errno.class ? "number" : "value").invoke(constant),
          constant);
    }
    TreeSet<Integer> numbers = new TreeSet<>(known.keySet());
    for (int n = numbers.getFirst() - BESIDE; n <= numbers.getLast() + BESIDE; n++) {
      Object wanted = known.getOrDefault(n, none);
      assertSame(wanted, of.invoke(null, n), type.getSimpleName() + " " + n);
    }
    assertEquals(none, of.invoke(null, Integer.MAX_VALUE));
  }
}
