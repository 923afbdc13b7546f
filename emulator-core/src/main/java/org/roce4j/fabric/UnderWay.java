package org.roce4j.fabric;

import java.util.List;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** What is under way on a fabric, for who steps it: seen, and struck one by one. */
public final class UnderWay {
  private final Timeline time;

  UnderWay(Timeline time) {
    this.time = time;
  }

  /** The datagrams, in the order in which they arrive; each is reused when it has. */
  public List<FabricDatagram> datagrams() {
    return time.underWay();
  }

  /**
   * A datagram meets a fault now, beside those that its link has in store; counts and observers are
   * told. What is added to its time is added to when it would have arrived.
   *
   * @throws VerbsException EINVAL when it is not under way
   */
  public void strike(FabricDatagram datagram, FaultAction action) {
    if (!time.withdraw(datagram)) {
      throw new VerbsException(
          Errno.EINVAL, "that datagram is not under way: it has arrived, or was lost");
    }
    datagram.link.strike(datagram, action);
  }
}
