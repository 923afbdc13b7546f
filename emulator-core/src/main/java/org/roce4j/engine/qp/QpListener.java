package org.roce4j.engine.qp;

import org.roce4j.verbs.EventType;

/** Receives the asynchronous events of a queue pair, on the thread that owns its engine. */
public interface QpListener {
  void event(EventType type);
}
