package org.roce4j.tools.cm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.CmProvider;
import org.roce4j.verbs.cm.ProviderChannel;
import org.roce4j.verbs.cm.ProviderId;
import org.roce4j.verbs.cm.ProviderReport;
import org.roce4j.verbs.cm.RdmaCm;

/**
 * A connection manager without a network: a call of an id is noted, and comes to the events that a
 * script has for it, a list for each time. Every object is a proxy. For one thread.
 */
final class ScriptedManager {
  private static final InetSocketAddress NOWHERE = new InetSocketAddress("10.0.0.1", 7);
  private static final int STATUS = -113;

  /** Calls of ids, in their order. */
  final List<String> calls = new ArrayList<>();

  private final Map<String, Queue<List<CmEventType>>> script;
  private final Queue<ProviderReport> reports = new ArrayDeque<>();

  ScriptedManager(Map<String, List<List<CmEventType>>> script) {
    this.script = new HashMap<>();
    script.forEach((call, events) -> this.script.put(call, new ArrayDeque<>(events)));
  }

  RdmaCm open() {
    CmProvider provider =
        object(
            CmProvider.class, (_, method, _) -> method.getName().equals("name") ? "" : channel());
    RdmaDevice device = object(RdmaDevice.class, (_, _, _) -> provider);
    return RdmaCm.open(object(Context.class, (_, _, _) -> device));
  }

  private ProviderChannel channel() {
    return object(
        ProviderChannel.class,
        (_, method, arguments) ->
            switch (method.getName()) {
              case "createId" -> id();
              case "take" -> next((long) arguments[0]);
              case "nowNs" -> 0L;
              default -> null;
            });
  }

  private ProviderReport next(long timeoutNs) {
    assertTrue(timeoutNs != Long.MAX_VALUE || !reports.isEmpty(), "nothing comes any more");
    return reports.poll();
  }

  private ProviderId id() {
    return object(
        ProviderId.class,
        (proxy, method, _) -> {
          String call = method.getName();
          if (call.endsWith("Addr") && method.getParameterCount() == 0) {
            return NOWHERE;
          }
          calls.add(call);
          List<CmEventType> events = script.getOrDefault(call, new ArrayDeque<>()).poll();
          for (CmEventType type : events == null ? List.<CmEventType>of() : events) {
            int status = type.name().endsWith("ERROR") ? STATUS : 0;
            reports.add(ProviderReport.of(type, (ProviderId) proxy, status));
          }
          return null;
        });
  }

  /** Equal to itself alone. */
  private static <T> T object(Class<T> type, InvocationHandler answers) {
    Object made =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "toString" -> type.getSimpleName();
                  default -> answers.invoke(proxy, method, arguments);
                });
    return type.cast(made);
  }
}
