package org.roce4j.junit;

import java.lang.foreign.ValueLayout;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.WcStatus;

/** Messages over a reliable connection, one after the other. */
final class Messages {
  private static final int SIZE = 4096;

  private Messages() {}

  /** Sends so many; says how the last one that completed ended. */
  static WcStatus send(Context from, Context to, int messages) {
    try (RcPair pair = RcPair.connect(from, to, attr -> attr.timeout(15))) {
      for (int i = 0; i < messages; i++) {
        pair.client().memory().set(ValueLayout.JAVA_INT, 0, i);
        pair.server().postReceive(i, 0, SIZE);
        pair.client().postSend(i, 0, SIZE);
        WcStatus status = pair.client().next().status();
        if (status != WcStatus.SUCCESS || pair.server().next().status() != WcStatus.SUCCESS) {
          return status;
        }
        if (pair.server().memory().get(ValueLayout.JAVA_INT, 0) != i) {
          throw new AssertionError("message " + i + " did not arrive");
        }
      }
    }
    return WcStatus.SUCCESS;
  }
}
