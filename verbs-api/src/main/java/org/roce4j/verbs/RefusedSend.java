package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.layout.SgeLayout;
import org.roce4j.verbs.text.Wording;

/** A send request that was refused as invalid, judged once more for {@link RefusedPost}. */
final class RefusedSend {
  private final QueuePair qp;
  private final MemorySegment view;
  private final long at;
  private final int opcodeValue;
  private final WrOpcode opcode;
  private final int count;

  /**
   * @param at offset of the request in the memory of its list
   */
  RefusedSend(QueuePair qp, MemorySegment view, long at) {
    this.qp = qp;
    this.view = view;
    this.at = at;
    opcodeValue = SendWrLayout.opcode(view, at);
    opcode = WrOpcode.of(opcodeValue);
    count = SendWrLayout.numSge(view, at);
  }

  /** A description of the request, such as {@code (wr_id 7, RDMA_WRITE)}. */
  String describe() {
    String operation = opcode == null ? "opcode " + opcodeValue : opcode.name();
    return Wording.of(" (wr_id %d, %s)", SendWrLayout.wrId(view, at), operation);
  }

  /** What is wrong with it and what to do; null if it breaks no rule. */
  String why() {
    if (qp.qpType() == QpType.XRC_RECV) {
      return "an XRC_RECV queue pair sends nothing: post on an XRC_SEND queue pair";
    }
    try {
      String wrong = queuePair(qp.state());
      wrong = wrong == null ? operation() : wrong;
      wrong = wrong == null ? inline() : wrong;
      wrong = wrong == null ? answered() : wrong;
      wrong = wrong == null ? operands() : wrong;
      return wrong == null ? named() : wrong;
    } catch (VerbsException e) {
      return e.remedy(); // the queue pair was destroyed
    } catch (IndexOutOfBoundsException | IllegalStateException e) {
      return "its elements are not in the memory of the list";
    }
  }

  private static String queuePair(QpState state) {
    return switch (state) {
      case RESET, INIT ->
          Wording.of(
              "a queue pair in %s sends nothing: bring it to RTS first (QpBringUp.toRts)", state);
      case RTR -> "a queue pair in RTR only receives: the step to RTS is missing (sqPsn and more)";
      default -> null;
    };
  }

  private String operation() {
    if (opcode == null) {
      return "no operation has that number: see WrOpcode";
    }
    QpType type = qp.qpType();
    String who =
        switch (opcode) {
          case SEND, SEND_WITH_IMM -> null;
          case RDMA_WRITE, RDMA_WRITE_WITH_IMM, BIND_MW, LOCAL_INV ->
              type == QpType.UD ? "RC, UC and XRC_SEND" : null;
          case SEND_WITH_INV, RDMA_READ, ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD ->
              type == QpType.UD || type == QpType.UC ? "RC and XRC_SEND" : null;
          case ATOMIC_WRITE -> type == QpType.RC ? null : "RC";
          case FLUSH -> "builders (QueuePair.builder) of RC";
          case TSO, DRIVER1 -> "other devices'";
        };
    if (who != null) {
      return Wording.of("%s queue pairs cannot %s, only %s queue pairs can", type, opcode, who);
    }
    int most = qp.cap().maxSendSge();
    return count < 0 || count > most ? RefusedPost.elements(count, most, "send") : null;
  }

  private String inline() {
    if ((SendWrLayout.sendFlags(view, at) & SendFlags.INLINE) == 0) {
      return null;
    }
    return switch (opcode) {
      case SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE, RDMA_WRITE_WITH_IMM, ATOMIC_WRITE ->
          bytes() <= qp.cap().maxInlineData()
              ? null
              : Wording.of(
                  "%d bytes of inline data, but the queue pair takes %d: ask for more when it is"
                      + " made (max_inline_data), or leave SendFlags.INLINE out",
                  bytes(), qp.cap().maxInlineData());
      default -> Wording.of("%s sends no data of its own: leave SendFlags.INLINE out", opcode);
    };
  }

  /** An operation that the peer answers with data needs a place among the outstanding requests. */
  private String answered() {
    return switch (opcode) {
      case RDMA_READ, ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD, ATOMIC_WRITE ->
          qp.query().maxRdAtomic() == 0
              ? "no READ or atomic may be outstanding: set maxRdAtomic(1) or more in the step to"
                  + " RTS"
              : null;
      default -> null;
    };
  }

  private String operands() {
    return switch (opcode) {
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD ->
          eight(SendWrLayout.atomicRemoteAddr(view, at), "atomic");
      case ATOMIC_WRITE -> eight(SendWrLayout.rdmaRemoteAddr(view, at), "remote");
      case BIND_MW, LOCAL_INV ->
          count == 0
              ? null
              : Wording.of("%s takes no scatter/gather element: leave sge out", opcode);
      default -> null;
    };
  }

  private String eight(long remoteAddress, String setter) {
    if (bytes() != 8) {
      return Wording.of("%s works on 8 bytes, not on %d: give it one sge of 8", opcode, bytes());
    }
    return (remoteAddress & 7) == 0
        ? null
        : Wording.of(
            "the remote address 0x%x, set by %s(...), is not a multiple of 8",
            remoteAddress, setter);
  }

  /** The objects that the request names by number. */
  private String named() {
    if (qp.qpType() == QpType.UD) {
      return SendWrLayout.udAh(view, at) == 0
          ? "a datagram needs a destination: call ud(ah, remoteQpn, remoteQkey)"
          : "its address handle was destroyed, or is not of the queue pair's protection domain and"
              + " port: make one there (qp.pd().createAh)";
    }
    if (opcode != WrOpcode.BIND_MW) {
      return null;
    }
    return SendWrLayout.bindMw(view, at) == 0
        ? "it names no memory window: call bindMw(...)"
        : "its window or region is gone, or of another device, or the window is of type 1, which"
            + " QueuePair.bindMemoryWindow binds";
  }

  private long bytes() {
    long list = count == 0 ? 0 : SendWrLayout.sgList(view, at) - view.address();
    long total = 0;
    for (int i = 0; i < count; i++) {
      total += Integer.toUnsignedLong(SgeLayout.length(view, list + (long) i * SgeLayout.SIZE));
    }
    return total;
  }
}
