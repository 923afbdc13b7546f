package org.roce4j.property;

import java.util.Arrays;
import java.util.List;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WrOpcode;

/**
 * A random walk over several nodes: who is connected with whom, and what they do one after the
 * other.
 *
 * @param sharedReceives whether all that ends at a node takes its receives from one queue
 * @param extendedCompletions whether completions are read in place
 * @param steps posted in this order; a leg's number counts modulo the legs that there are
 */
record Walk(
    int nodes,
    boolean sharedReceives,
    boolean extendedCompletions,
    List<Leg> legs,
    List<Step> steps) {
  /**
   * Requests go one way; nodes count modulo those that there are, and may be the same.
   *
   * @param window type of the window through which memory over there is used; 0: its region
   * @param ports of the two that a node has: bit 0 says that it leaves by the second, bit 1 that it
   *     arrives there
   */
  record Leg(QpType service, int from, int to, int window, int ports) {
    int fromPort() {
      return 1 + (ports & 1);
    }

    int toPort() {
      return 1 + (ports >> 1);
    }
  }

  /**
   * A request of a leg.
   *
   * @param kind which of those that the leg's service has, counted modulo their number
   * @param bytes at most; a datagram has no more than one packet
   * @param cuts how the local memory is divided, in percent of what is left
   * @param poll whether completions are looked at before it
   * @param built whether it is built call by call
   * @param resize to what the receiver's shared queue is resized before it, in percent; 0: not
   */
  record Step(
      int leg,
      int kind,
      int bytes,
      List<Integer> cuts,
      boolean signaled,
      boolean fenced,
      boolean solicited,
      boolean inline,
      boolean poll,
      boolean built,
      int resize) {
    WrOpcode opcode(QpType service) {
      WrOpcode[] kinds =
          switch (service) {
            case RC -> RELIABLE;
            case XRC_SEND -> EXTENDED;
            case UC -> UNRELIABLE;
            default -> DATAGRAM;
          };
      return kinds[kind % kinds.length];
    }
  }

  private static final WrOpcode[] RELIABLE = {
    WrOpcode.SEND,
    WrOpcode.SEND_WITH_IMM,
    WrOpcode.RDMA_WRITE,
    WrOpcode.RDMA_WRITE_WITH_IMM,
    WrOpcode.RDMA_READ,
    WrOpcode.ATOMIC_CMP_AND_SWP,
    WrOpcode.ATOMIC_FETCH_AND_ADD,
    WrOpcode.ATOMIC_WRITE,
    WrOpcode.FLUSH
  };
  private static final WrOpcode[] EXTENDED = Arrays.copyOf(RELIABLE, 7);
  private static final WrOpcode[] UNRELIABLE = {
    WrOpcode.SEND, WrOpcode.SEND_WITH_IMM, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE_WITH_IMM
  };
  private static final WrOpcode[] DATAGRAM = {WrOpcode.SEND, WrOpcode.SEND_WITH_IMM};
}
