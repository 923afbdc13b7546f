package org.roce4j.faulty;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Set;
import org.roce4j.verbs.VerbsException;

/** What a decorator of one object does with each call. */
class DecoratedObject implements InvocationHandler {
  /** Short for calls of the same object, which are asked about on their own. */
  private static final Set<String> SHORT =
      Set.of(
          "poll",
          "pollOrThrow",
          "postSend",
          "postRecv",
          "postSendOrThrow",
          "postRecvOrThrow",
          "completeOrThrow",
          "status");

  final Object object;
  final Decoration decoration;

  DecoratedObject(Object object, Decoration decoration) {
    this.object = object;
    this.decoration = decoration;
  }

  @Override
  public final Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    String name = method.getName();
    if (method.getDeclaringClass() == Object.class) {
      return name.equals("equals") ? proxy == arguments[0] : called(method, arguments);
    }
    if (name.equals("unwrap")) {
      return object;
    }
    if (name.equals("close")) {
      Object closed = called(method, arguments); // refused, it lives on
      decoration.forget(object);
      return closed;
    }
    if (method.isDefault() && isShort(name, method)) {
      return InvocationHandler.invokeDefault(proxy, method, arguments);
    }
    return call(name, method, arguments);
  }

  private static boolean isShort(String name, Method method) {
    boolean ofList = name.endsWith("Refused") && method.getParameterCount() == 2;
    return SHORT.contains(name) || ofList;
  }

  /** A call that is neither short for others nor the end of the object. */
  Object call(String name, Method method, Object[] arguments) throws Throwable {
    Refusal refusal = decoration.refused(name, object);
    if (refusal != null) {
      throw new VerbsException(refusal.errno(), refusal.why(name));
    }
    return decoration.of(called(method, arguments));
  }

  /** What the object beneath gives. */
  final Object called(Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(object, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
