package org.roce4j.engine.qp;

import java.util.ArrayDeque;
import java.util.Deque;
import org.roce4j.engine.trace.Failure;
import org.roce4j.verbs.text.Wording;

/**
 * The reasons why the latest requests of a queue pair failed since its transition to RTR. It takes
 * no memory until a request fails. Confined to the engine's owner.
 */
public final class FailureLog {
  private static final int MOST = 8;

  /** The latest failed send requests, the oldest first; null: none. */
  private Deque<Failure> sends;

  /** Why it refused a request of its peer last; null: it did not. */
  private String refusal;

  /** The first failure, which failed the queue pair; null: none. */
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
    because(Wording.of("its request of wr_id %d failed: %s", failure.wrId(), failure.why()));
  }

  void refused(String why) {
    refusal = why;
    because("it refused a request of its peer: " + why);
  }

  /** Records why the queue pair failed; only the first call has an effect. */
  void because(String why) {
    if (cause == null) {
      cause = why;
    }
  }

  /** The latest failure of a send request with this identifier; null: unknown. */
  public Failure ofSend(long wrId) {
    Failure found = null;
    if (sends != null) {
      for (Failure each : sends) {
        found = each.wrId() == wrId ? each : found;
      }
    }
    return found;
  }

  /** The reason why a request of the peer was refused; null: none was. */
  public String refusal() {
    return refusal;
  }

  /** The reason why the queue pair failed; null: it has not failed. */
  public String cause() {
    return cause;
  }
}
