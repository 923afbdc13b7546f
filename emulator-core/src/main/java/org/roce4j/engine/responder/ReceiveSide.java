package org.roce4j.engine.responder;

import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.memory.KeyTable;
import org.roce4j.engine.path.Peer;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.EventType;

/**
 * What a responder is made of, fixed for the life of its queue pair.
 *
 * @param source where receive requests come from, own queue or shared
 * @param verdicts who is told when a request was fatal
 * @param xrc where the shared receive queues are that messages name; null: they name none
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

  /** Verdicts climb up: the queue pair decides what a failure means for its state. */
  public interface Verdicts {
    /**
     * A receive is about to complete in error, or to be flushed: the state changes first.
     *
     * @param why for people
     */
    void receiveQueueFails(String why);

    /**
     * A request was answered by a fatal NAK, or cannot be answered.
     *
     * @param event the asynchronous event that goes with it, or null
     */
    void receiveQueueFailed(EventType event);
  }
}
