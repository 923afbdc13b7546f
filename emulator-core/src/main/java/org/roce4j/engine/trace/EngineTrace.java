package org.roce4j.engine.trace;

import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.QpState;

/**
 * Observes an engine, on the thread that owns it, and the requests and completions of programs, on
 * the threads that post and poll. An observer must not call the device and must not block.
 */
public interface EngineTrace {
  /** Observes nothing. */
  EngineTrace NONE = new EngineTrace() {};

  default void stateChanged(int qpNum, QpState from, QpState to) {}

  /** A request failed, which moves its queue pair to ERR. */
  default void requestFailed(int qpNum, Failure failure) {}

  /** A queue pair refused a request of its peer. {@code why} is a clause without a full stop. */
  default void requestRefused(int qpNum, String why) {}

  /** The requester retransmits from {@code psn}, for the reason of a counter. */
  default void retransmission(int qpNum, int psn, Counter reason) {}

  /**
   * Whether {@link #posted} and {@link #polled} are to be called now. Asked at each request and
   * completion, on any thread.
   */
  default boolean wantsRequests() {
    return false;
  }

  /** A program has posted a request. Called on its thread, possibly after the request was sent. */
  default void posted(RequestNote request) {}

  /** A program has polled a completion. Called on its thread. */
  default void polled(RequestNote completion) {}

  /** A datagram was dropped. QPN and PSN are -1 if they could not be read. */
  default void dropped(int qpNum, int psn, Counter reason) {}
}
