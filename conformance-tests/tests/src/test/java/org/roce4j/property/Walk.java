package org.roce4j.property;

import java.util.Arrays;
import java.util.List;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WrOpcode;

/**
 * A random walk over several nodes: their connections and the sequence of their requests.
 *
 * @param sharedReceives whether all queue pairs that receive at a node share one receive queue
 * @param extendedCompletions whether completions are read in place
 * @param steps requests in the order of posting; their leg numbers count modulo the number of legs
 */
record Walk(
    int nodes,
    boolean sharedReceives,
    boolean extendedCompletions,
    List<Leg> legs,
    List<Step> steps) {
  /**
   * A connection with requests in one direction. Node numbers count modulo the number of nodes;
   * both ends may be the same node.
   *
   * @param window type of the window through which the peer's memory is used; 0 for its region
   * @param ports the port of each end: bit 0 for the sender's second port, bit 1 for the receiver's
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
   * @param kind index of the operation, modulo the number of operations of the leg's service
   * @param bytes most bytes; a datagram has at most one packet
   * @param cuts lengths of the local elements, in percent of the rest
   * @param poll whether to poll completions before the request
   * @param built whether to build it call by call
   * @param resize new size of the receiver's shared queue before the request, in percent; 0 for no
   *     change
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
