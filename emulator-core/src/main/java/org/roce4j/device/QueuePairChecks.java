package org.roce4j.device;

import org.roce4j.engine.Limit;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpCreateFlags;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;

/** Checks the attributes of a new queue pair that has its own queues; changes nothing. */
final class QueuePairChecks {
  private final ContextObjects objects;
  private final Device device;

  QueuePairChecks(ContextObjects objects) {
    this.objects = objects;
    device = objects.device();
  }

  /**
   * Checks the attributes. For the owner of all engines.
   *
   * @return the granted capabilities
   */
  QpCapabilities check(QpInitAttr attr) {
    QpType type = attr.qpType();
    boolean initiates = type == QpType.XRC_SEND;
    if (type == QpType.XRC_RECV) {
      throw Errno.EINVAL.refusal(
          "an XRC_RECV queue pair is of an XRC domain, not of a protection domain: make it by"
              + " Context.createQp, with xrcd");
    }
    if (!initiates && type != QpType.RC && type != QpType.UC && type != QpType.UD) {
      throw Errno.EOPNOTSUPP.refusal("queue pairs of type %s are not supported here", type);
    }
    checkCreateFlags(attr.createFlags(), type);
    checkSendOps(attr.sendOps(), type);
    checkCq(attr.sendCq(), "send_cq");
    if (!initiates) {
      checkCq(attr.recvCq(), "recv_cq");
    }
    checkSrq(attr.srq(), initiates);
    QpCapabilities cap = attr.cap();
    boolean own = attr.srq() == null && !initiates;
    checkCap("max_send_wr", cap.maxSendWr(), Limit.MAX_QP_WR);
    checkCap("max_recv_wr", own ? cap.maxRecvWr() : 0, Limit.MAX_QP_WR);
    checkCap("max_send_sge", cap.maxSendSge(), Limit.MAX_SGE);
    checkCap("max_recv_sge", own ? cap.maxRecvSge() : 0, Limit.MAX_SGE);
    checkCap("max_inline_data", cap.maxInlineData(), Limit.MAX_INLINE_DATA);
    if (device.queuePairs() >= device.limit(Limit.MAX_QP)) {
      throw ObjectCounts.reached(Limit.MAX_QP, device.limit(Limit.MAX_QP));
    }
    return new QpCapabilities(
        SendQueue.slotsFor(cap.maxSendWr()),
        own ? SendQueue.slotsFor(cap.maxRecvWr()) : 0,
        Math.max(1, cap.maxSendSge()),
        own ? Math.max(1, cap.maxRecvSge()) : 0,
        cap.maxInlineData());
  }

  /** Refuses flags that the device does not support, or not for queue pairs of this type. */
  static void checkCreateFlags(int flags, QpType type) {
    int others = flags & ~QpCreateFlags.BLOCK_SELF_MCAST_LB;
    if (others != 0) {
      throw new VerbsException(
          Errno.EOPNOTSUPP,
          "create flags that this device does not support: " + QpCreateFlags.toString(others));
    }
    if (flags != 0 && type != QpType.UD) {
      throw Errno.EINVAL.refusal("BLOCK_SELF_MCAST_LB is for UD queue pairs, which are in groups");
    }
  }

  /** Refuses operations that queue pairs of this type do not support. */
  static void checkSendOps(long asked, QpType type) {
    long known = 0;
    for (WrOpcode opcode : WrOpcode.values()) {
      known |= SendRule.supported(opcode, type) ? SendOpsFlags.of(opcode) : 0;
    }
    if ((asked & ~known) != 0) {
      throw Errno.EOPNOTSUPP.refusal(
          "queue pairs of type %s do not support these send operations: %s",
          type, SendOpsFlags.toString(asked & ~known));
    }
  }

  private void checkSrq(SharedReceiveQueue srq, boolean initiates) {
    if (srq == null) {
      return;
    }
    if (initiates) {
      throw Errno.EINVAL.refusal("an XRC_SEND queue pair receives nothing: no srq");
    }
    if (!(srq instanceof EmulatedSharedReceiveQueue own && own.objects == objects)) {
      throw RequiredArgument.foreign(srq, "srq");
    }
    if (own instanceof EmulatedXrcReceiveQueue) {
      throw Errno.EINVAL.refusal(
          "the shared receive queue is of type XRC: messages name it, no queue pair is made with"
              + " it");
    }
    own.requireWorking();
  }

  /** Checks that a completion queue belongs to this context and is not destroyed. */
  void checkCq(CompletionQueue cq, String name) {
    if (!(cq instanceof EmulatedCompletionQueue own && own.objects == objects)) {
      throw RequiredArgument.foreign(cq, name);
    }
    own.requireOpen();
  }

  private void checkCap(String name, int value, Limit limit) {
    RequiredArgument.checkRange(value, 0, device.limit(limit), name);
  }
}
