package org.roce4j.engine.qp;

import java.util.ArrayDeque;
import java.util.Deque;
import org.roce4j.engine.trace.Failure;

/**
 * Why requests of a queue pair failed, the last few, since it became RTR. Empty and without memory
 * of its own until the first fails. Confined to the engine's owner.
 */
public final class FailureLog {
  private static final int MOST = 8;

  private Deque<Failure> sends;
  private String refusal;
  private String cause;

  void clear() {
    sends = null;
    refusal = null;
    cause = null;
  }

  void sendFailed(Failure failure) {
    if (sends == null) {
      sends = new ArrayDeque<>(MOST);
    } else if (sends.size() == MOST) {
      sends.removeFirst();
    }
    sends.addLast(failure);
    because("its request of wr_id %d failed: %s".formatted(failure.wrId(), failure.why()));
  }

  void refused(String why) {
    refusal = why;
    because("it refused a request of its peer: " + why);
  }

  /** What made the queue pair fail; the first counts. */
  void because(String why) {
    if (cause == null) {
      cause = why;
    }
  }

  /** Why the send request with this identifier failed last; null: not known. */
  public Failure ofSend(long wrId) {
    Failure found = null;
    if (sends != null) {
      for (Failure each : sends) {
        found = each.wrId() == wrId ? each : found;
      }
    }
    return found;
  }

  /** Why a request of the peer was refused; null: none was. */
  public String refusal() {
    return refusal;
  }

  /** Why the queue pair failed; null: it did not. */
  public String cause() {
    return cause;
  }
}
