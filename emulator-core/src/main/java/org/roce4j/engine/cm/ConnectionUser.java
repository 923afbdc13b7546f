package org.roce4j.engine.cm;

import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.Rep;

/**
 * What an end of a connection tells its program. Called inside a turn of the engine: it takes note
 * and calls nothing of the connection manager.
 */
public interface ConnectionUser {
  /** The peer accepts: {@link Connection#establish}, or {@link Connection#reject}. */
  void replied(Rep reply);

  /** The peer has confirmed; of the passive end. */
  void established();

  void rejected(Rej why);

  /** The peer has not answered REQ, or not confirmed REP. */
  void unreachable();

  /**
   * The connection has ended: {@link Connection#release} confirms it.
   *
   * @param unanswered the peer has not confirmed DREQ
   */
  void released(boolean unanswered);

  /** The queue pair may be used again. */
  void timeWaitOver();
}
