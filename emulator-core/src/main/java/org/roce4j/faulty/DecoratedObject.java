package org.roce4j.faulty;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Set;
import org.roce4j.verbs.VerbsException;

/** Handles the calls of one decorated object. */
class DecoratedObject implements InvocationHandler {
  /**
   * Default methods that only call other methods of the same object, to which rules are applied.
   */
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
      Object closed = called(method, arguments); // if this throws, the object lives on
      decoration.forget(object);
      return closed;
    }
    if (method.isDefault() && isShort(name, method)) {
      try {
        return InvocationHandler.invokeDefault(proxy, method, arguments);
      } catch (VerbsException e) {
        throw explained(name, e);
      }
    }
    return call(name, method, arguments);
  }

  private static boolean isShort(String name, Method method) {
    boolean ofList = name.endsWith("Refused") && method.getParameterCount() == 2;
    return SHORT.contains(name) || ofList;
  }

  /** The exception of such a default method, with the plan's reason if the plan is the reason. */
  VerbsException explained(String name, VerbsException e) {
    return e;
  }

  /** A call that is neither such a default method nor {@code close}. */
  Object call(String name, Method method, Object[] arguments) throws Throwable {
    if (name.equals("userContext")) {
      return called(method, arguments); // the program's, also if it is an object of the verbs
    }
    PlannedRefusal refusal = decoration.refused(name, object);
    if (refusal != null) {
      throw new VerbsException(refusal.errno(), refusal.why(name));
    }
    return decoration.of(called(method, arguments));
  }

  /** The result of the decorated object. */
  final Object called(Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(object, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
