package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.roce4j.connect.ConnectionOptions;
import org.roce4j.connect.FailedRequestException;
import org.roce4j.connect.RcPair;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.WcStatus;

/** Messages over a reliable connection, one after the other. */
final class Messages {
  /** Bytes that fill a message up to 4096. */
  private static final int REST = 4096 - 12;

  /** A message. */
  private record Numbered(int number, byte[] rest) {}

  private Messages() {}

  /** Sends {@code messages}; the status of the last one. */
  static WcStatus send(Context from, Context to, int messages) {
    ConnectionOptions options = ConnectionOptions.DEFAULT.withAttributes(attr -> attr.timeout(15));
    try (RcPair pair = RcPair.connect(from, to, options)) {
      for (int i = 0; i < messages; i++) {
        pair.client().send(new Numbered(i, new byte[REST]));
        assertEquals(i, pair.server().receive(Numbered.class).number());
      }
    } catch (FailedRequestException e) {
      return e.status();
    }
    return WcStatus.SUCCESS;
  }
}
