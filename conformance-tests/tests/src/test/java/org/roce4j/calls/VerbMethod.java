package org.roce4j.calls;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.roce4j.verbs.CreatedQueuePair;
import org.roce4j.verbs.Verbs;

/** A method of an interface of the API, found by reflection. */
record VerbMethod(Method method) {

  /** Every method of every public interface, in a fixed order. */
  static List<VerbMethod> all() {
    return new ClassFileImporter()
        .importPackages(Verbs.class.getPackageName()).stream()
            .filter(type -> type.getPackageName().equals(Verbs.class.getPackageName()))
            .filter(JavaClass::isInterface)
            .map(JavaClass::reflect)
            .filter(type -> Modifier.isPublic(type.getModifiers()) && !type.isAnnotation())
            .filter(type -> type != CreatedQueuePair.class) // a backend's, with no verb of its own
            .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
            .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic())
            .map(VerbMethod::new)
            .sorted(Comparator.comparing(VerbMethod::toString))
            .toList();
  }

  Class<?> owner() {
    return method.getDeclaringClass();
  }

  /** Its name, such as {@code QueuePair.postSend}. */
  String name() {
    return owner().getSimpleName() + "." + method.getName();
  }

  Stream<Integer> parameters(boolean primitive) {
    return IntStream.range(0, method.getParameterCount())
        .filter(i -> parameter(i).getType().isPrimitive() == primitive)
        .boxed();
  }

  Parameter parameter(int index) {
    return method.getParameters()[index];
  }

  /** Its name with a parameter, such as {@code QueuePair.postSend(view)}. */
  String name(int parameter) {
    return "%s(%s)".formatted(name(), parameter(parameter).getName());
  }

  /** Calls the verb and throws what it throws. */
  Object call(Object target, Object... arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Override
  public String toString() {
    return Arrays.stream(method.getParameters())
        .map(p -> p.getType().getSimpleName() + " " + p.getName())
        .toList()
        .toString()
        .replace('[', '(')
        .replace(']', ')')
        .transform(list -> name() + list);
  }
}
