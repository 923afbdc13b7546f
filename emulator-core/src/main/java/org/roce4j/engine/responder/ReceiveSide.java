package org.roce4j.engine.responder;

import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.memory.KeyTable;
import org.roce4j.engine.path.Peer;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.EventType;

/**
 * The parts of a responder, fixed for the life of its queue pair.
 *
 * @param source the receive queue, the queue pair's own or a shared one
 * @param verdicts is told when a request was fatal
 * @param xrc the domain of the shared receive queues that messages name; null if they name none
 */
public record ReceiveSide(
    int qpNum,
    ReceiveSource source,
    CompletionRing completions,
    KeyTable keys,
    Accessor accessor,
    Peer peer,
    Counters counters,
    EngineTrace trace,
    Verdicts verdicts,
    XrcScope xrc) {

  /** Reports failures to the queue pair, which decides about its state. */
  public interface Verdicts {
    /**
     * A receive is about to complete in error, or to be flushed. The state changes first.
     *
     * @param why the reason, for messages
     */
    void receiveQueueFails(String why);

    /**
     * A request was answered by a fatal NAK, or cannot be answered.
     *
     * @param event the asynchronous event of the failure, or null
     */
    void receiveQueueFailed(EventType event);
  }
}
