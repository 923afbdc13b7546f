package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QpBringUpTest {
  private static <T> T stub(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /** A device may have ports of different MTU. */
  @Test
  void thePathMtuIsThatOfTheQueuePairsPort() {
    List<Object> asked = new ArrayList<>();
    Context context =
        stub(
            Context.class,
            (self, method, arguments) -> {
              asked.add(arguments[0]);
              throw new VerbsException(Errno.ENODEV, "the port was asked");
            });
    QueuePair qp =
        stub(
            QueuePair.class,
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "state" -> QpState.INIT;
                  case "qpType" -> QpType.RC;
                  default -> context;
                });
    Refusals.refused(Errno.ENODEV, () -> QpBringUp.toRts(qp, QpBringUp.attributes().portNum(2)));
    assertEquals(List.of(2), asked);
  }
}
