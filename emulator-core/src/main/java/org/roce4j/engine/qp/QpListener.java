package org.roce4j.engine.qp;

import org.roce4j.verbs.EventType;

/** Told of a queue pair's asynchronous events, on the thread that owns its engine. */
public interface QpListener {
  void event(EventType type);
}
