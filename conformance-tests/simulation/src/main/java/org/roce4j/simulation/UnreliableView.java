package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.HashMap;
import java.util.Map;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;
import org.roce4j.wire.Psn;

/**
 * The expectations of the responder of an unreliable connection, from the packets that reach it:
 * after a gap it continues with the next message that starts, and loses only the torn one.
 */
final class UnreliableView {
  private final Arrivals arrivals;
  private final Map<Integer, PostedSend> sent = new HashMap<>();
  private int nextToSend;
  private int expected;
  private PostedSend current;
  private boolean certain;
  private boolean quiet;

  /**
   * @param firstPsn first PSN of the sender
   */
  UnreliableView(Arrivals arrivals, int firstPsn) {
    this.arrivals = arrivals;
    nextToSend = firstPsn;
  }

  /** The peer posted a message, which takes the next {@code packets} PSNs. */
  void posted(PostedSend message, int packets) {
    sent.put(nextToSend, message);
    nextToSend = Psn.add(nextToSend, packets);
  }

  /** The sender's send queue is drained and may send nothing, or it works again. */
  void quiet(boolean silent) {
    quiet = silent;
  }

  void sent(int psn) {
    require(
        !quiet,
        OracleRule.DRAINED_IS_SILENT,
        "PSN %d was sent on an unreliable connection after its send queue was drained",
        psn);
  }

  void delivered(Opcode opcode, int psn) {
    if (current != null && (psn != expected || opcode.starts())) {
      current = null;
    }
    expected = Psn.add(psn, 1);
    if (opcode.starts()) {
      current = sent.get(psn);
      certain = true;
    }
    if (current == null) {
      return;
    }
    boolean send = opcode.operation() == Operation.SEND;
    if (send ? opcode.starts() : opcode.hasImmediate()) {
      certain &= arrivals.certain();
    }
    if (opcode.ends()) {
      if (send || opcode.hasImmediate()) {
        arrivals.arrived(current, certain);
      }
      current = null;
    }
  }
}
