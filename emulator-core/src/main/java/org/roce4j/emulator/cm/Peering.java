package org.roce4j.emulator.cm;

import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.RejectReason;

/**
 * An id's relation to its peer: a connection, or a datagram service. Each method is called by the
 * owner of the engine that has queue pair 1; a state that does not allow the call is EINVAL.
 */
interface Peering {
  void accept(ConnParam param);

  void reject(RejectReason reason, byte[] privateData);

  void establish();

  void disconnect();

  void notify(EventType event);

  /** Adds the attributes, besides the state, that take a queue pair to RTR or RTS. */
  void describe(QpState state, QpAttr attr);

  /** The program has closed the id. */
  void close();
}
