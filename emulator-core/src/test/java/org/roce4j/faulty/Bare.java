package org.roce4j.faulty;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsProvider;
import org.roce4j.verbs.Wrapper;

/** A backend that is known only by the interfaces of the verbs. */
final class Bare {
  private final Map<Object, Object> known = new IdentityHashMap<>();

  private final BiConsumer<String, Object[]> called;

  private Bare(BiConsumer<String, Object[]> called) {
    this.called = called;
  }

  /** A device whose objects have no named class. */
  static RdmaDevice around(RdmaDevice device) {
    return around(device, (name, arguments) -> {});
  }

  /**
   * As {@link #around(RdmaDevice)}.
   *
   * @param called is informed of each call
   */
  static RdmaDevice around(RdmaDevice device, BiConsumer<String, Object[]> called) {
    return (RdmaDevice) new Bare(called).of(device);
  }

  private Object of(Object object) {
    Class<?>[] verbs =
        object == null || object instanceof VerbsProvider
            ? new Class<?>[0]
            : types(object.getClass())
                .filter(type -> type.getPackageName().equals("org.roce4j.verbs"))
                .filter(type -> AutoCloseable.class.isAssignableFrom(type) || isHandle(type))
                .distinct()
                .toArray(Class<?>[]::new);
    return verbs.length == 0 ? object : known.computeIfAbsent(object, it -> bare(it, verbs));
  }

  private static boolean isHandle(Class<?> type) {
    return Calls.TYPES.contains(type) || type == AsyncEvent.class;
  }

  private static Stream<Class<?>> types(Class<?> type) {
    return type == null
        ? Stream.empty()
        : Stream.concat(
            Arrays.stream(type.getInterfaces()).flatMap(each -> with(each)),
            types(type.getSuperclass()));
  }

  private static Stream<Class<?>> with(Class<?> type) {
    return Stream.concat(Stream.of(type), types(type));
  }

  private Object bare(Object object, Class<?>[] verbs) {
    return Proxy.newProxyInstance(
        RdmaDevice.class.getClassLoader(),
        Stream.concat(Arrays.stream(verbs), Stream.of(Wrapper.class)).toArray(Class<?>[]::new),
        (proxy, method, arguments) -> {
          if (method.getName().equals("unwrap")) {
            return object;
          }
          if (method.getName().equals("equals")) {
            return proxy == arguments[0];
          }
          called.accept(method.getName(), arguments);
          try {
            return of(method.invoke(object, arguments));
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }
}
