package org.roce4j.engine;

import java.lang.reflect.RecordComponent;
import org.roce4j.wire.Opcode;

/**
 * Every resource has a limit. The defaults follow Linux rxe (verbs-tables 8).
 *
 * @param pathWindowBytes what may at most be in flight to one peer address
 * @param maxProbingQp with up to so many queue pairs in flight a requester probes for loss when an
 *     acknowledgement is overdue by the measured round trip; 0: nothing is sent again before the
 *     ACK timeout, as by many an adapter
 * @param leastProbedPackets with so many packets of SENDs and WRITEs in flight at least; 0: always,
 *     and for READs and atomics as well
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
    int maxProbingQp,
    int leastProbedPackets) {

  /** A message may have at most this many bytes. */
  public static final long MAX_MESSAGE_BYTES = Opcode.MOST_MESSAGE_BYTES;

  public static final DeviceLimits DEFAULT =
      new DeviceLimits(
          1 << 20, 1 << 14, 32, 512, 1 << 16, 1 << 20, 524287, 524287, 1 << 20, 32767, 1 << 16,
          1 << 14, 27, 128, 8192, 56, 1024, 1, 4L << 20, 64, 8);

  private static final long LEAST_WINDOW_BYTES = 8192;

  /** What one of so many engines may have in flight to a peer, whose socket has room for one. */
  public long pathWindowBytes(int engines) {
    return Math.max(pathWindowBytes / engines, Math.min(pathWindowBytes, LEAST_WINDOW_BYTES));
  }

  public DeviceLimits withPathWindowBytes(long bytes) {
    return with("pathWindowBytes", bytes);
  }

  public DeviceLimits withMaxProbingQp(int queuePairs) {
    return with("maxProbingQp", queuePairs);
  }

  public DeviceLimits withLeastProbedPackets(int packets) {
    return with("leastProbedPackets", packets);
  }

  /** These limits but for one, which its component names. */
  public DeviceLimits with(String component, long value) {
    limit(component); // There must be one.
    RecordComponent[] components = DeviceLimits.class.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      String name = components[i].getName();
      long limit = name.equals(component) ? value : limit(name);
      types[i] = components[i].getType();
      if (types[i] == int.class) {
        values[i] = Math.toIntExact(limit);
      } else {
        values[i] = limit;
      }
    }
    try {
      return DeviceLimits.class.getConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError("a public record's constructor can be called", e);
    }
  }

  /** The limit that this component names. */
  public long limit(String component) {
    try {
      return ((Number) DeviceLimits.class.getMethod(component).invoke(this)).longValue();
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("no limit is called " + component, e);
    }
  }
}
