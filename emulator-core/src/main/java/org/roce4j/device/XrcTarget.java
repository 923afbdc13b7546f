package org.roce4j.device;

import java.util.LinkedHashSet;
import java.util.Set;
import org.roce4j.engine.Engine;
import org.roce4j.engine.memory.KeyTable;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.engine.qp.QpParts;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.engine.responder.XrcScope;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpType;

/**
 * An XRC target queue pair, shared by its handles: it lives until the last handle is closed.
 * Changed by the owner of all engines.
 */
final class XrcTarget {
  private final SharedXrcDomain domain;
  private final Engine engine;
  private final QpMachine machine;
  private final Set<Handle> handles = new LinkedHashSet<>();

  /** An application's handle. */
  interface Handle {
    /** Raises an event of the queue pair. For the owner of engine {@code by}. */
    void raise(Engine by, EventType type);
  }

  /**
   * @param engine engine of the queue pair; any engine may take from any shared receive queue of
   *     the domain
   * @param maxSge greatest number of elements of a request in a shared receive queue
   */
  XrcTarget(Engine engine, KeyTable keys, int maxSge, SharedXrcDomain domain) {
    this.domain = domain;
    this.engine = engine;
    XrcScope scope = domain.scope();
    machine =
        new QpMachine(
            engine,
            new QpParts(
                this::raise,
                engine.queuePairs().freshNumber(),
                QpType.XRC_RECV,
                new SendQueue(1, 1, 0),
                scope.nothing(),
                maxSge,
                null,
                null,
                keys,
                scope.nothing().domain(),
                false,
                scope));
  }

  QpMachine machine() {
    return machine;
  }

  /** Adds a handle; the first one makes the queue pair. Changes nothing if memory runs out. */
  void joined(Handle handle) {
    boolean joined = false;
    try {
      if (handles.isEmpty()) {
        domain.add(this);
        engine.add(machine);
      }
      joined = handles.add(handle);
    } finally {
      if (!joined) {
        left(handle); // memory ran out
      }
    }
  }

  /** Removes a handle; the last one destroys the queue pair. */
  void left(Handle handle) {
    handles.remove(handle);
    if (handles.isEmpty()) {
      domain.remove(this);
      engine.remove(machine);
      machine.retired();
    }
  }

  private void raise(EventType type) {
    handles.forEach(handle -> handle.raise(engine, type));
  }
}
