package org.roce4j.emulator.cm;

import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.RejectReason;

/**
 * The relation of an id to its peer: a connection, or a datagram service. The methods are called by
 * the owner of the engine that has queue pair 1; they throw EINVAL in a state that does not allow
 * the call.
 */
interface Peering {
  void accept(ConnParam param);

  void reject(RejectReason reason, byte[] privateData);

  void establish();

  void disconnect();

  void notify(EventType event);

  /** Adds the attributes, besides the state, for a transition to RTR or RTS. */
  void describe(QpState state, QpAttr attr);

  /** The program has closed the id. */
  void close();
}
