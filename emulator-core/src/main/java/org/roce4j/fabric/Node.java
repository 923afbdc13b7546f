package org.roce4j.fabric;

import org.roce4j.engine.time.Deadlines;

/** Who drives a port in virtual time: a device's duty cycle, or a scripted peer. */
public interface Node {
  /** One turn: receive, commands, timers, transmit. May send, must not call {@link Fabric#step}. */
  void run(long nowNs);

  /**
   * When it wants its next turn even if nothing arrives; {@link Deadlines#NEVER}: never. A time
   * that has passed means at once.
   */
  long nextDeadlineNs();
}
