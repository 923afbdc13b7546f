package org.roce4j.engine.requester;

import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.memory.KeyTable;
import org.roce4j.engine.path.Peer;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.engine.trace.Failure;
import org.roce4j.wire.Transport;

/**
 * The parts of a requester, fixed for the life of its queue pair.
 *
 * @param transport the transport of its packets: RC, UC, UD or XRC
 * @param signalAll whether every request is signaled ({@code sq_sig_all})
 * @param verdicts is told when the send queue fails
 */
public record SendSide(
    int qpNum,
    Transport transport,
    SendQueue queue,
    CompletionRing completions,
    KeyTable keys,
    Accessor accessor,
    Peer peer,
    Counters counters,
    EngineTrace trace,
    boolean signalAll,
    Verdicts verdicts) {

  /** Reports failures to the queue pair, which decides about its state. */
  public interface Verdicts {
    /**
     * A send request is about to complete in error. The state changes first: a thread that sees the
     * completion sees the state.
     *
     * @param failure the failure, for messages
     */
    void sendQueueFails(Failure failure);

    /** The failed request has completed; the rest of the queue is to be flushed. */
    void sendQueueFailed();
  }
}
