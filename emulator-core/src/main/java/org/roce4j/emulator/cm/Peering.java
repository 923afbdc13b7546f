package org.roce4j.emulator.cm;

import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.RejectReason;

/**
 * What an id has with its peer: a connection, or the knowledge of its datagram service. Each method
 * is called by the owner of the engine that has queue pair 1; a state that does not allow it is
 * EINVAL.
 */
interface Peering {
  void accept(ConnParam param);

  void reject(RejectReason reason, byte[] privateData);

  void establish();

  void disconnect();

  void notify(EventType event);

  /** What takes a queue pair to RTR or RTS, beside the state. */
  void describe(QpState state, QpAttr attr);

  /** The program is gone. */
  void close();
}
