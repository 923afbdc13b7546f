package org.roce4j.verbs.cm;

import java.util.Arrays;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;

/**
 * The number of READs and atomics at a time that an end offers or accepts, within its device's
 * limits.
 *
 * @param responder accepted from the peer
 * @param initiator outstanding to the peer
 */
record Resources(int responder, int initiator) {
  private static final int EIGHT_BITS = 0xFF;
  static final Resources NONE = new Resources(0, 0);

  /** The offer of a request, seen from this side. */
  static Resources of(ConnParam offered) {
    return offered == null
        ? NONE
        : new Resources(offered.responderResources(), offered.initiatorDepth());
  }

  /** The offer of a connecting side: 0xFF stands for the device's maximum. */
  static Resources offered(ConnParam wanted, Context context) {
    return new Resources(0xFF, 0xFF).agreed(wanted, context);
  }

  /** The resources that an accepting side agrees to: 0xFF stands for the peer's offer. */
  Resources agreed(ConnParam wanted, Context context) {
    DeviceAttr limits = context.queryDevice();
    return new Resources(
        one(wanted.responderResources(), responder, limits.maxQpRdAtomic()),
        one(wanted.initiatorDepth(), initiator, limits.maxQpInitRdAtomic()));
  }

  private static int one(int wanted, int peers, int limit) {
    return wanted == ConnParam.MAX_RESP_RES ? Math.min(peers, limit) : wanted;
  }

  /**
   * Refuses what no message can say, and more than the device has; the device's limits hold for
   * connections only, as in librdmacm.
   */
  static void check(CmId id, ConnParam wanted) {
    checkRange(wanted.responderResources(), EIGHT_BITS, "responderResources");
    checkRange(wanted.initiatorDepth(), EIGHT_BITS, "initiatorDepth");
    checkRange(wanted.retryCount(), EIGHT_BITS, "retryCount");
    checkRange(wanted.rnrRetryCount(), EIGHT_BITS, "rnrRetryCount");
    checkRange(wanted.qpNum(), 0xFF_FFFF, "qpNum");
    if (id.ps() == PortSpace.TCP) {
      DeviceAttr limits = id.verbsOrRefuse().queryDevice();
      check(wanted.responderResources(), limits.maxQpRdAtomic(), "responderResources");
      check(wanted.initiatorDepth(), limits.maxQpInitRdAtomic(), "initiatorDepth");
    }
  }

  private static void checkRange(int wanted, int max, String name) {
    if (wanted < 0 || wanted > max) {
      throw Errno.EINVAL.refusal("%s is 0 to %d, not %d", name, max, wanted);
    }
  }

  private static void check(int wanted, int limit, String name) {
    if (wanted != ConnParam.MAX_RESP_RES && wanted > limit) {
      throw Errno.EINVAL.refusal("%s is 0 to %d on this device, not %d", name, limit, wanted);
    }
  }

  /** The offer with these resources, and with the number of the id's queue pair if it has one. */
  ConnParam complete(ConnParam offered, QueuePair qp) {
    if (qp != null) {
      offered.qpNum(qp.qpNum()).srq(qp.srq() != null);
    }
    return offered.responderResources(responder).initiatorDepth(initiator);
  }

  /** Refuses private data that does not fit the message. */
  static void checkPrivateData(QpType type, byte[] bytes, int connected, int datagram) {
    int max = type == QpType.UD ? datagram : connected;
    if (bytes.length > max) {
      throw Errno.EINVAL.refusal("privateData is at most %d bytes here, not %d", max, bytes.length);
    }
  }

  static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
