package org.roce4j.tools.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * One direction of a TCP connection, in which GIDs are changed however the bytes are cut. A byte is
 * sent on as soon as it is the same whatever follows it. Sent bytes that can be the beginning of a
 * GID are remembered until the GID is complete. For one thread.
 */
final class GidStream {
  private static final int ROOM = 65_536;

  private final GidSpellings spellings;

  /** The bytes that were read: first those already sent, then those that wait. */
  private final byte[] window = new byte[ROOM];

  private int held;
  private int sent;

  /** Index behind the last GID that was changed: it is not changed again. */
  private int begin;

  GidStream(GidSpellings spellings) {
    this.spellings = spellings;
  }

  /** Reads the available bytes. Returns their number, or -1 at the end of the stream. */
  int readFrom(InputStream in) throws IOException {
    int count = in.read(window, held, ROOM - held);
    held += Math.max(0, count);
    return count;
  }

  /** Whether bytes wait because the next bytes decide whether they are part of a GID. */
  boolean waits() {
    return sent < held;
  }

  /** Changes the GIDs that are complete; returns their number. */
  int change() {
    int changed = 0;
    for (int at = begin; at < held; at++) {
      int size = spellings.changeAt(window, at, held);
      if (size > 0) {
        changed++;
        begin = at + size;
        at = begin - 1;
      }
    }
    return changed;
  }

  /** Sends the bytes that do not depend on the next ones. */
  void sendTo(OutputStream out) throws IOException {
    int remembered = Math.max(begin, held - GidSpellings.LONGEST + 1);
    int end = held;
    for (int at = remembered; at < held; at++) {
      end = Math.min(end, spellings.decided(window, at, held));
    }
    sendUpTo(end, remembered, out);
  }

  /** Sends all bytes, and starts again with the next ones. */
  void sendAllTo(OutputStream out) throws IOException {
    sendUpTo(held, held, out);
  }

  private void sendUpTo(int end, int remembered, OutputStream out) throws IOException {
    if (end > sent) {
      out.write(window, sent, end - sent);
      out.flush();
    }
    System.arraycopy(window, remembered, window, 0, held - remembered);
    held -= remembered;
    sent = end - remembered;
    begin = 0;
  }
}
