package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;

/** A wait for a completion, in virtual time. */
class CompletionWaitTest {
  private static final long TIMEOUT_NS = 1_000_000;

  @AutoClose private final FabricDevices devices = new FabricDevices(FabricOptions.of(1));
  @AutoClose private final Arena arena = Arena.ofShared();
  private final Context context = devices.device("waits", Gid.parse("10.0.0.1")).open();
  private CompletionQueue real;

  /** Runs before the next notification is requested. */
  private Runnable before = () -> {};

  /** Hands the calls of an interface to a handler. */
  private static <T> T played(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private final Context watched =
      played(
          Context.class,
          (_, method, arguments) -> {
            Object made = method.invoke(context, arguments);
            if (!(made instanceof CompletionQueue cq)) {
              return made;
            }
            real = cq;
            return played(
                CompletionQueue.class,
                (_, called, given) -> {
                  if (called.getName().equals("requestNotification")) {
                    before.run();
                    before = () -> {};
                  }
                  return called.invoke(cq, given);
                });
          });

  private final CompletionWait wait = new CompletionWait(watched, 4, new OwnedObjects(), arena);

  /** A completion that has come raises no event later. */
  @Test
  void aCompletionThatComesJustBeforeTheQueueIsArmedIsFoundAtOnce() {
    before = this::completes;
    assertTrue(wait.next(TIMEOUT_NS));
    assertEquals(0, devices.fabric().nowNs());
    assertEquals(7, wait.found().wrId(0));
  }

  @Test
  void aWaitWithoutACompletionEndsInTime() {
    assertFalse(wait.next(TIMEOUT_NS));
    assertEquals(TIMEOUT_NS, devices.fabric().nowNs());
  }

  private void completes() {
    QueuePair qp =
        context
            .allocPd()
            .createQp(
                new QpInitAttr().qpType(QpType.UD).cq(real).cap(new QpCapabilities(1, 1, 1, 1, 0)));
    QpBringUp.to(QpState.INIT, qp, QpBringUp.attributes());
    try (RecvRequestList list = new RecvRequestList(1, 1)) {
      list.add().wrId(7);
      qp.postRecvOrThrow(list);
    }
    qp.modify(new QpAttr().qpState(QpState.ERR));
  }
}
