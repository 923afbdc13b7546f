package org.roce4j.verbs.cm;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.roce4j.verbs.AtomicCap;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.VerbsProvider;
import org.roce4j.verbs.XrcDomain;

/**
 * Verbs objects that do nothing but write down what is asked of them, and what is left open of
 * them.
 */
final class StubVerbs {
  /** READs and atomics that the device does at a time. */
  static final int LIMIT = 16;

  /** READs and atomics that the device asks for at a time. */
  static final int ASKED = 12;

  final List<String> calls = Collections.synchronizedList(new ArrayList<>());
  final List<String> open = Collections.synchronizedList(new ArrayList<>());

  /** By which object each queue pair and shared receive queue was made, and with what. */
  final List<String> origins = Collections.synchronizedList(new ArrayList<>());

  /** The attributes of each shared receive queue. */
  final List<Object> srqs = Collections.synchronizedList(new ArrayList<>());

  /** The memory of each list of requests that was posted. */
  final List<MemorySegment> posted = Collections.synchronizedList(new ArrayList<>());

  /** Modifications to this state fail. */
  volatile Object refusedState;

  /** Objects whose names begin so refuse to be closed; null: none. */
  volatile String busy;

  /** The simultaneous action of another thread. */
  volatile Runnable meanwhile = () -> {};

  /** Counts down by {@link #step}; the step at which it comes to 0 fails. */
  int failIn;

  /** The step that has failed, or null. */
  String failed;

  private int made;

  /** Something that a backend may refuse. */
  void step(String what) {
    if (--failIn == 0) {
      failed = what;
      throw new VerbsException(Errno.ENOMEM, what + " is refused by the test");
    }
  }

  Context context(VerbsProvider provider) {
    RdmaDevice device =
        stub(RdmaDevice.class, "device", Map.of("provider", provider, "name", "stub0"));
    return stub(Context.class, "context", Map.of("device", device));
  }

  private <T> T stub(Class<T> type, String name, Map<String, Object> answers) {
    InvocationHandler handler = (self, method, args) -> answer(self, name, answers, method, args);
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private Object answer(
      Object self, String name, Map<String, Object> answers, Method method, Object[] args)
      throws Throwable {
    if (answers.containsKey(method.getName())) {
      return answers.get(method.getName());
    }
    return switch (method.getName()) {
      case "toString" -> name;
      case "hashCode" -> System.identityHashCode(self);
      case "equals" -> self == args[0];
      case "queryDevice" -> {
        step("queryDevice");
        yield attributes();
      }
      case "allocPd" -> made(ProtectionDomain.class, "PD", Map.of("context", self));
      case "openXrcd" -> made(XrcDomain.class, "XRC domain", Map.of());
      case "createCompletionChannel" -> made(CompletionChannel.class, "channel", Map.of());
      case "createCq" -> made(CompletionQueue.class, "CQ of " + args[0], Map.of());
      case "createSrq" -> {
        origins.add(name + " SRQ" + parts(args[0]));
        srqs.add(args[0]);
        yield made(SharedReceiveQueue.class, "SRQ", Map.of());
      }
      case "createQp" -> {
        origins.add(name + " QP of " + ((QpInitAttr) args[0]).xrcd());
        yield queuePair((QpInitAttr) args[0]);
      }
      case "modify" -> modify(name, (QpAttr) args[0]);
      case "close" -> {
        if (busy != null && name.startsWith(busy)) {
          throw new VerbsException(Errno.EBUSY, name + " is in use");
        }
        open.remove(name);
        yield null;
      }
      default -> other(self, name, method, args);
    };
  }

  private static String parts(Object attr) {
    return attr instanceof SrqInitAttrEx of
        ? " %s of %s, %s, %s".formatted(of.srqType(), of.pd(), of.xrcd(), of.cq())
        : "";
  }

  private Object other(Object self, String name, Method method, Object[] args) throws Throwable {
    switch (method.getName()) {
      case "postSendOrThrow" -> posted.add(((SendRequestList) args[0]).memory());
      case "postRecvOrThrow" -> posted.add(((RecvRequestList) args[0]).memory());
      default -> {}
    }
    if (method.isDefault()) {
      try {
        return InvocationHandler.invokeDefault(self, method, args);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
    step(method.getName());
    calls.add(name + " " + method.getName() + (args == null ? "" : " " + List.of(args)));
    return method.getReturnType() == long.class
        ? (Object) 0L
        : method.getReturnType() == int.class ? 0 : null;
  }

  private QueuePair queuePair(QpInitAttr attr) {
    Map<String, Object> answers = new java.util.HashMap<>();
    answers.put("qpNum", 0x11 + made);
    answers.put("qpType", attr.qpType());
    answers.put("srq", attr.srq());
    calls.add(
        "createQp sendCq %s, recvCq %s, srq %s"
            .formatted(attr.sendCq(), attr.recvCq(), attr.srq()));
    return made(QueuePair.class, "QP", answers);
  }

  private Object modify(String name, QpAttr attr) {
    if (attr.qpState() == refusedState) {
      meanwhile.run();
      throw new VerbsException(Errno.EINVAL, "refused by the test");
    }
    calls.add(name + " " + attr);
    step("modify to " + attr.qpState());
    return null;
  }

  private synchronized <T> T made(Class<T> type, String what, Map<String, Object> answers) {
    step("making a " + type.getSimpleName());
    made++;
    String name = what + " " + made;
    open.add(name);
    return stub(type, name, answers);
  }

  private static DeviceAttr attributes() throws ReflectiveOperationException {
    var constructor = DeviceAttr.class.getDeclaredConstructors()[0];
    Object[] values = new Object[constructor.getParameterCount()];
    for (int i = 0; i < values.length; i++) {
      Class<?> type = constructor.getParameterTypes()[i];
      values[i] =
          type == int.class
              ? (Object) number(DeviceAttr.class.getRecordComponents()[i].getName())
              : type == long.class ? (Object) 0L : type == AtomicCap.class ? AtomicCap.NONE : null;
    }
    return (DeviceAttr) constructor.newInstance(values);
  }

  private static int number(String attribute) {
    return switch (attribute) {
      case "maxQpRdAtomic" -> LIMIT;
      case "maxQpInitRdAtomic" -> ASKED;
      default -> 99;
    };
  }
}
