package org.roce4j.engine.trace;

import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.QpState;

/**
 * Told what happens in an engine, on the thread that owns it, and what programs post and poll, on
 * theirs. An observer must not call back into the device and must not block.
 */
public interface EngineTrace {
  /** Observes nothing. */
  EngineTrace NONE = new EngineTrace() {};

  default void stateChanged(int qpNum, QpState from, QpState to) {}

  /** A request of a queue pair failed, and the queue pair with it. */
  default void requestFailed(int qpNum, Failure failure) {}

  /** A queue pair refused a request of its peer; {@code why} is a clause without a full stop. */
  default void requestRefused(int qpNum, String why) {}

  /** The requester goes back and sends again from {@code psn}; {@code reason} says why. */
  default void retransmission(int qpNum, int psn, Counter reason) {}

  /** Whether it wants to know of requests and completions now; it is asked at each. Any thread. */
  default boolean wantsRequests() {
    return false;
  }

  /** A program has posted a request. On its thread, perhaps when the request has been sent. */
  default void posted(RequestNote request) {}

  /** A program has polled a completion. On its thread. */
  default void polled(RequestNote completion) {}

  /** A datagram was dropped; QPN and PSN as far as they could be read, else -1. */
  default void dropped(int qpNum, int psn, Counter reason) {}
}
