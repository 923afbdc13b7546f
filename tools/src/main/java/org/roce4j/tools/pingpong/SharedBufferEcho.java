package org.roce4j.tools.pingpong;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * The echo of {@code ibv_srq_pingpong}: all its queue pairs share one buffer, so its message may be
 * mixed from several of ours. Each byte must come from a message that can have been the last to
 * write it: the message that this echo answers, or a message that was posted later or was not yet
 * acknowledged when that message was posted. Before a queue pair has received anything, the fresh
 * buffer may show.
 */
final class SharedBufferEcho implements Echo {
  private static final long NEVER = Long.MAX_VALUE;

  /** A message of ours, with the moments it was posted and acknowledged. */
  private static final class Sent {
    final long number;
    final long postedAt;
    long acknowledgedAt = NEVER;

    Sent(long number, long postedAt) {
      this.number = number;
      this.postedAt = postedAt;
    }
  }

  private final PayloadPattern ours;
  private final byte fill;
  private final Sent[] newest;
  private final ArrayDeque<Sent> log = new ArrayDeque<>();
  private long moment;

  /**
   * @param fill initial content of the C program's buffer
   * @param qps number of queue pairs; message {@code number} belongs to queue pair {@code number %
   *     qps}
   */
  SharedBufferEcho(PayloadPattern ours, byte fill, int qps) {
    this.ours = ours;
    this.fill = fill;
    this.newest = new Sent[qps];
  }

  @Override
  public void posted(long number) {
    Sent sent = new Sent(number, ++moment);
    newest[lane(number)] = sent;
    log.add(sent);
    forget();
  }

  @Override
  public void acknowledged(long number) {
    Sent sent = newest[lane(number)];
    if (sent.number == number) {
      sent.acknowledgedAt = ++moment;
    }
  }

  /** Removes messages overwritten before the newest message of every queue pair was posted. */
  private void forget() {
    long needed = NEVER;
    for (Sent sent : newest) {
      needed = Math.min(needed, sent == null ? 0 : sent.postedAt);
    }
    while (log.peek().acknowledgedAt < needed) {
      log.remove();
    }
  }

  @Override
  public long mismatch(long number, MemorySegment message) {
    Sent reference = newest[lane(number)];
    long since = reference == null ? 0 : reference.postedAt;
    long size = message.byteSize();
    for (long at = 0; at < size; ) {
      long reached = reference == null ? endOfFill(message, at) : at;
      for (Sent sent : log) {
        if (sent.acknowledgedAt >= since) {
          long wrong = ours.mismatch(sent.number, message, at);
          reached = Math.max(reached, wrong < 0 ? size : wrong);
        }
      }
      if (reached == at) {
        return at;
      }
      at = reached;
    }
    return -1;
  }

  private long endOfFill(MemorySegment message, long from) {
    long at = from;
    while (at < message.byteSize() && message.get(JAVA_BYTE, at) == fill) {
      at++;
    }
    return at;
  }

  @Override
  public byte due(long number, long offset) {
    Sent reference = newest[lane(number)];
    return reference == null ? fill : ours.at(reference.number, offset);
  }

  private int lane(long number) {
    return (int) (number % newest.length);
  }
}
