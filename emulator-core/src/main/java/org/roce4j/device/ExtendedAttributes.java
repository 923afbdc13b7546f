package org.roce4j.device;

import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.DeviceAttrEx;
import org.roce4j.verbs.DeviceAttrEx.CqModerationCaps;
import org.roce4j.verbs.DeviceAttrEx.OdpCaps;
import org.roce4j.verbs.DeviceAttrEx.PacketPacingCaps;
import org.roce4j.verbs.DeviceAttrEx.PciAtomicCaps;
import org.roce4j.verbs.DeviceAttrEx.RssCaps;
import org.roce4j.verbs.DeviceAttrEx.TagMatchingCaps;
import org.roce4j.verbs.DeviceAttrEx.TsoCaps;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.OdpCapFlags;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpType;

/** The answer of an emulated device to {@code ibv_query_device_ex}. */
final class ExtendedAttributes {
  /** Timestamps of completions are nanoseconds, and every bit is valid. */
  private static final long TIMESTAMP_MASK = -1;

  /** The greatest typical packet size: the C field has 16 bits. */
  private static final int MOST_PACKET = 0xffff;

  private static final long CLOCK_KHZ = 1_000_000;

  /** The greatest period and count: Linux has 16 bits for each. */
  private static final CqModerationCaps MODERATION = new CqModerationCaps(0xffff, 0xffff);

  /**
   * Every kind of on-demand paging, which needs no work: the thread that runs the engine copies
   * process memory, and the system pages it.
   */
  private static final int DATAGRAM_ODP =
      OdpCapFlags.SEND | OdpCapFlags.RECV | OdpCapFlags.SRQ_RECV;

  private static final int CONNECTED_ODP =
      DATAGRAM_ODP
          | OdpCapFlags.WRITE
          | OdpCapFlags.READ
          | OdpCapFlags.ATOMIC
          | OdpCapFlags.ATOMIC_WRITE;

  /** The greatest rate: 400 Gbit/s. */
  private static final PacketPacingCaps PACING =
      new PacketPacingCaps(
          1,
          400_000_000,
          1 << QpType.RC.value()
              | 1 << QpType.UC.value()
              | 1 << QpType.UD.value()
              | 1 << QpType.XRC_SEND.value());

  private ExtendedAttributes() {}

  /** Refuses a rate that the device does not support. */
  static void check(QpRateLimitAttr attr) {
    int rate = attr.rateLimit();
    if (rate < 0 || rate > PACING.qpRateLimitMax()) {
      throw Errno.EINVAL.refusal(
          "rate_limit must be 0 to %d kbit/s, not %s",
          PACING.qpRateLimitMax(), Integer.toUnsignedString(rate));
    }
    boolean shaped = attr.maxBurstSize() != 0 || attr.typicalPacketSize() != 0;
    if (attr.maxBurstSize() < 0
        || attr.typicalPacketSize() < 0
        || attr.typicalPacketSize() > MOST_PACKET
        || rate == 0 && shaped) {
      throw Errno.EINVAL.refusal(
          "maxBurstSize must be 0 or more, typicalPacketSize 0 to %d, and without a rate both"
              + " 0, not %d and %d",
          MOST_PACKET, attr.maxBurstSize(), attr.typicalPacketSize());
    }
  }

  static DeviceAttrEx of(DeviceAttr device, int maxDmSize) {
    return new DeviceAttrEx(
        device,
        new OdpCaps(
            OdpCapFlags.SUPPORT,
            CONNECTED_ODP | OdpCapFlags.FLUSH,
            DATAGRAM_ODP | OdpCapFlags.WRITE,
            DATAGRAM_ODP),
        TIMESTAMP_MASK,
        CLOCK_KHZ,
        device.deviceCapFlags(),
        TsoCaps.NONE,
        RssCaps.NONE,
        0,
        PACING,
        0,
        TagMatchingCaps.NONE,
        MODERATION,
        maxDmSize,
        PciAtomicCaps.NONE,
        CONNECTED_ODP,
        device.physPortCount());
  }
}
