package org.roce4j.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.roce4j.conformance.backend.Backend;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.backend.Link;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;

/** Two devices on a network of either kind of time. */
abstract class LiveLink implements AutoCloseable {
  private static final long PATIENCE_NS = 20_000_000_000L;

  private final Backend backend;
  private final long startNs = System.nanoTime();
  final Link link;
  final Context context;

  /**
   * @param backend closed with this link
   */
  LiveLink(Backend backend) {
    this.backend = backend;
    link = backend.open();
    context = link.near();
  }

  private boolean isVirtual() {
    return backend.capabilities().contains(Capability.VIRTUAL_TIME);
  }

  /** Whether to go on polling: in real time a completion may take any time. */
  final boolean isPatient() {
    return !isVirtual() && System.nanoTime() - startNs < PATIENCE_NS;
  }

  /** Waits until the posted requests of the queue pair are complete, and polls nothing. */
  final void settle(QueuePair qp) {
    if (isVirtual()) {
      assertFalse(link.await(() -> false, Long.MAX_VALUE / 2));
    } else {
      drain(qp);
    }
  }

  private void drain(QueuePair qp) {
    try {
      qp.modify(new QpAttr().qpState(QpState.SQD));
      assertTrue(link.await(() -> !qp.query().sqDraining(), 0));
      qp.modify(new QpAttr().qpState(QpState.RTS));
    } catch (VerbsException e) {
      assertEquals(QpState.ERR, qp.state(), e::toString); // where everything is complete
    }
  }

  @Override
  public void close() {
    link.close();
    backend.close();
  }
}
