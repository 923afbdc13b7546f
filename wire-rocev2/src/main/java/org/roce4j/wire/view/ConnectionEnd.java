package org.roce4j.wire.view;

import java.util.Locale;
import org.roce4j.wire.inspect.FlowPosition;

/**
 * One end of a connection: an address and a queue pair.
 *
 * @param queuePair its number, or {@link FlowPosition#NO_QP} if no packet shows it
 */
record ConnectionEnd(String address, int queuePair) {
  /** {@code 10.0.0.1 QP 0x000011}. */
  @Override
  public String toString() {
    return address
        + (queuePair == FlowPosition.NO_QP
            ? " QP ?"
            : String.format(Locale.ROOT, " QP 0x%06x", queuePair));
  }
}
