package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.foreign.Arena;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every method and constructor of the classes that hold requests, completions and addresses. */
class NullArgumentsTest {
  private static final Arena ARENA = Arena.ofAuto();

  private static Object instance(Class<?> of) {
    return switch (of.getSimpleName()) {
      case "SendRequestList" -> new SendRequestList(ARENA, 2, 2, 8).add();
      case "RecvRequestList" -> new RecvRequestList(ARENA, 2, 2).add();
      default -> null;
    };
  }

  static Stream<Arguments> nulls() {
    return Stream.of(
            SendRequestList.class,
            RecvRequestList.class,
            WorkCompletions.class,
            RegisterableMemory.class,
            Verbs.class,
            Gid.class)
        .flatMap(
            type ->
                Stream.concat(
                    Arrays.stream(type.getConstructors()),
                    Arrays.stream(type.getDeclaredMethods())))
        .filter(each -> Modifier.isPublic(each.getModifiers()))
        .filter(each -> !each.getName().equals("equals"))
        .flatMap(
            each ->
                IntStream.range(0, each.getParameterCount())
                    .filter(i -> !each.getParameterTypes()[i].isPrimitive())
                    .filter(i -> !mayBeNull(each, i))
                    .mapToObj(i -> Arguments.of(each, i)));
  }

  /** Without a region BIND_MW unbinds. */
  private static boolean mayBeNull(Executable of, int index) {
    return of.getName().equals("bindMw") && of.getParameterTypes()[index] == MemoryRegion.class;
  }

  @Test
  void thereAreSuchArguments() {
    assertTrue(nulls().count() >= 14, () -> nulls().count() + " arguments");
  }

  @ParameterizedTest(name = "{0}, argument {1}")
  @MethodSource("nulls")
  void areRefusedWithTheirName(Executable of, int index) {
    VerbsException e = refused(Errno.EINVAL, () -> call(of));
    String name = of.getParameters()[index].getName();
    boolean named = e.remedy().contains(name) || e.remedy().startsWith("memory");
    assertTrue(named, () -> name + " is not in: " + e.remedy());
  }

  /** Numbers are 1, all else is null. */
  private static void call(Executable of) throws Throwable {
    Object[] arguments =
        Arrays.stream(of.getParameterTypes()).map(NullArgumentsTest::argument).toArray();
    try {
      if (of instanceof Constructor<?> constructor) {
        constructor.newInstance(arguments);
      } else {
        ((Method) of).invoke(instance(of.getDeclaringClass()), arguments);
      }
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static Object argument(Class<?> type) {
    return type == int.class ? (Object) 1 : type == long.class ? (Object) 1L : null;
  }
}
