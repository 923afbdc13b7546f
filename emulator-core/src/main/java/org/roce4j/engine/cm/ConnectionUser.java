package org.roce4j.engine.cm;

import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.Rep;

/**
 * Receives the events of an end of a connection. Called inside a turn of the engine, so it must not
 * call the connection manager.
 */
public interface ConnectionUser {
  /**
   * The peer has accepted. {@link CmConnection#establish} or {@link CmConnection#reject} answers.
   */
  void replied(Rep reply);

  /** The peer has confirmed REP, at the passive end. */
  void established();

  void rejected(Rej why);

  /** The peer has not answered REQ or not confirmed REP. */
  void unreachable();

  /**
   * The connection has ended: {@link CmConnection#release} confirms it.
   *
   * @param unanswered whether the peer has not confirmed DREQ
   */
  void released(boolean unanswered);

  /** The queue pair may be used again. */
  void timeWaitOver();
}
