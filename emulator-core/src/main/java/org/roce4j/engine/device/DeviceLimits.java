package org.roce4j.engine.device;

/**
 * Every resource has a limit. The defaults follow Linux rxe (verbs-tables 8).
 *
 * @param pathWindowBytes what may at most be in flight to one peer address
 * @param maxProbingQp with up to so many queue pairs in flight a requester probes for loss when an
 *     acknowledgement is overdue by the measured round trip; 0: nothing is sent again before the
 *     ACK timeout, as by an adapter
 */
public record DeviceLimits(
    int maxQp,
    int maxQpWr,
    int maxSge,
    int maxInlineData,
    int maxCq,
    int maxCqe,
    int maxMr,
    int maxMw,
    int maxPd,
    int maxAh,
    int maxSrq,
    int maxSrqWr,
    int maxSrqSge,
    int maxQpRdAtomic,
    int maxMcastGroups,
    int maxMcastQpAttach,
    int gidTableLength,
    int pkeyTableLength,
    long pathWindowBytes,
    int maxProbingQp) {

  /** A message may have at most this many bytes. */
  public static final long MAX_MESSAGE_BYTES = 1L << 31;

  public static final DeviceLimits DEFAULT =
      new DeviceLimits(
          1 << 20, 1 << 14, 32, 512, 1 << 16, 1 << 20, 524287, 524287, 1 << 20, 32767, 1 << 16,
          1 << 14, 27, 128, 8192, 56, 1024, 1, 4L << 20, 0);

  public DeviceLimits withPathWindowBytes(long bytes) {
    return new DeviceLimits(
        maxQp,
        maxQpWr,
        maxSge,
        maxInlineData,
        maxCq,
        maxCqe,
        maxMr,
        maxMw,
        maxPd,
        maxAh,
        maxSrq,
        maxSrqWr,
        maxSrqSge,
        maxQpRdAtomic,
        maxMcastGroups,
        maxMcastQpAttach,
        gidTableLength,
        pkeyTableLength,
        bytes,
        maxProbingQp);
  }

  public DeviceLimits withMaxProbingQp(int queuePairs) {
    return new DeviceLimits(
        maxQp,
        maxQpWr,
        maxSge,
        maxInlineData,
        maxCq,
        maxCqe,
        maxMr,
        maxMw,
        maxPd,
        maxAh,
        maxSrq,
        maxSrqWr,
        maxSrqSge,
        maxQpRdAtomic,
        maxMcastGroups,
        maxMcastQpAttach,
        gidTableLength,
        pkeyTableLength,
        pathWindowBytes,
        queuePairs);
  }
}
