package org.roce4j.conformance.remote;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.roce4j.verbs.Gid;

/**
 * Calls written as words: the name of a public method, its arguments, and then perhaps a method of
 * the result. {@code send 0 bytes 0 10 ackReq} is {@code send(0).bytes(0, 10).ackReq()}. A method
 * with a variable number of strings takes all remaining words.
 */
final class Words {
  /** The meaning of a word as an argument. */
  @FunctionalInterface
  interface Meaning {
    /**
     * Converts a word.
     *
     * @throws IllegalArgumentException if the word has no meaning as {@code type}
     */
    Object of(String word, Class<?> type);
  }

  private Words() {}

  /** The words of a line. */
  static List<String> of(String line) {
    return Stream.of(line.strip().split("\\s+")).filter(word -> !word.isEmpty()).toList();
  }

  /** Whether the word is the name of a public method of {@code type}. */
  static boolean names(Class<?> type, String word) {
    return Stream.of(type.getMethods()).anyMatch(method -> method.getName().equals(word));
  }

  /**
   * Calls methods in turn, each on the result of the one before.
   *
   * @param type type whose methods the first word may name
   * @return the result of the last method
   * @throws IllegalArgumentException if a word is missing, left over or not understood
   */
  static Object call(Object receiver, Class<?> type, List<String> words, Meaning meaning) {
    Object result = receiver;
    Class<?> next = type;
    int at = 0;
    while (at < words.size()) {
      String name = words.get(at++);
      List<Method> overloads =
          Stream.of(next.getMethods()).filter(method -> method.getName().equals(name)).toList();
      if (overloads.isEmpty()) {
        throw new IllegalArgumentException(name + " is no word of " + next.getSimpleName());
      }
      int first = at;
      while (at < words.size() && !follows(result, overloads, words.get(at))) {
        at++;
      }
      result = call(result, overloads, words.subList(first, at), meaning);
      next = result == null ? void.class : result.getClass();
    }
    return result;
  }

  /**
   * Whether a word names a method of a result, and so is no argument. A setter that is declared to
   * return a supertype of its receiver returns the receiver.
   */
  private static boolean follows(Object receiver, List<Method> overloads, String word) {
    return overloads.stream()
        .map(Method::getReturnType)
        .map(type -> type.isInstance(receiver) ? receiver.getClass() : type)
        .anyMatch(type -> names(type, word));
  }

  private static Object call(
      Object receiver, List<Method> overloads, List<String> words, Meaning meaning) {
    IllegalArgumentException misfit = null;
    for (Method method : overloads) {
      int count = method.getParameterCount();
      if (count == words.size() || method.isVarArgs() && count <= words.size() + 1) {
        try {
          return call(receiver, method, arguments(method, words, meaning));
        } catch (IllegalArgumentException e) {
          misfit = e;
        }
      }
    }
    throw new IllegalArgumentException(
        "not understood: " + overloads.getFirst().getName() + " " + String.join(" ", words),
        misfit);
  }

  private static Object[] arguments(Method method, List<String> words, Meaning meaning) {
    List<Object> arguments = new ArrayList<>();
    int single = method.getParameterCount() - (method.isVarArgs() ? 1 : 0);
    for (int i = 0; i < single; i++) {
      arguments.add(meaning.of(words.get(i), method.getParameterTypes()[i]));
    }
    if (method.isVarArgs()) {
      arguments.add(words.subList(single, words.size()).toArray(String[]::new));
    }
    return arguments.toArray();
  }

  /** Calls a method and throws what it throws. */
  static Object call(Object receiver, Method method, Object... arguments) {
    try {
      return method.invoke(receiver, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof RuntimeException thrown
          ? thrown
          : new IllegalStateException(e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Converts a word to a decimal number, a constant or an address, or returns the word. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  static Object plain(String word, Class<?> type) {
    if (type == long.class) {
      return Long.valueOf(word);
    }
    if (type == int.class) {
      return (int) (long) Long.valueOf(word);
    }
    if (type == boolean.class) {
      return Boolean.valueOf(word);
    }
    if (type == Gid.class) {
      return Gid.parse(word);
    }
    if (type.isEnum()) {
      return Enum.valueOf((Class<? extends Enum>) type, word);
    }
    if (type == String.class) {
      return word;
    }
    throw new IllegalArgumentException(word + " is no " + type.getSimpleName());
  }
}
