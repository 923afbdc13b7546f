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
 * A target queue pair of extended reliable connections, as all share it that have a handle of it:
 * it lives until the last handle is closed. Changed by the owner of all engines.
 */
final class XrcTarget {
  private final SharedXrcDomain domain;
  private final Engine engine;
  private final QpMachine machine;
  private final Set<Handle> handles = new LinkedHashSet<>();

  /** What an application holds of it. */
  interface Handle {
    /** An event of the queue pair; the owner of its engine. */
    void raise(Engine by, EventType type);
  }

  /**
   * @param engine where it lives: any can take from any shared receive queue of the domain
   * @param maxSge that a shared receive queue may have at most
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

  /** The first handle makes it; changes nothing if memory runs out. */
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

  /** The last handle destroys it. */
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
