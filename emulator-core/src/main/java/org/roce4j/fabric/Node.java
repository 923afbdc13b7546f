package org.roce4j.fabric;

import org.roce4j.engine.time.Deadlines;

/** Drives a port in virtual time: a device's duty cycle, or a scripted peer. */
public interface Node {
  /**
   * Takes one turn: receive, commands, timers, transmit. It may send but must not call {@link
   * Fabric#step}.
   */
  void run(long nowNs);

  /**
   * The time at which the node needs a turn even if nothing arrives; {@link Deadlines#NEVER}: none.
   * A time in the past means at once.
   */
  long nextDeadlineNs();
}
