package org.roce4j.fabric;

import java.util.List;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * The datagrams in flight on a fabric, for a program that steps it: to look at, and to apply faults
 * to.
 */
public final class UnderWay {
  private final Timeline time;

  UnderWay(Timeline time) {
    this.time = time;
  }

  /** The datagrams in the order of their arrival. Each object is reused after its arrival. */
  public List<FabricDatagram> datagrams() {
    return time.underWay();
  }

  /**
   * Applies a fault to a datagram, in addition to those of its link; it is counted and observed
   * like them. A delay counts from the planned arrival.
   *
   * @throws VerbsException EINVAL if the datagram is not in flight
   */
  public void strike(FabricDatagram datagram, FaultAction action) {
    if (!time.withdraw(datagram)) {
      throw Errno.EINVAL.refusal("that datagram is not under way: it has arrived, or was lost");
    }
    datagram.link.strike(datagram, action);
  }
}
