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
import org.roce4j.verbs.OdpCapFlags;

/** What an emulated device answers to {@code ibv_query_device_ex}. */
final class ExtendedAttributes {
  /** Times of completions are nanoseconds, of which every bit counts. */
  private static final long TIMESTAMP_MASK = -1;

  private static final long CLOCK_KHZ = 1_000_000;

  /** The kernel has 16 bits for each. */
  private static final CqModerationCaps MODERATION = new CqModerationCaps(0xffff, 0xffff);

  /** Memory of a process is paged on demand, and copied by whoever runs the engine. */
  private static final int DATAGRAM_ODP =
      OdpCapFlags.SEND | OdpCapFlags.RECV | OdpCapFlags.SRQ_RECV;

  private static final int CONNECTED_ODP =
      DATAGRAM_ODP
          | OdpCapFlags.WRITE
          | OdpCapFlags.READ
          | OdpCapFlags.ATOMIC
          | OdpCapFlags.ATOMIC_WRITE;

  private ExtendedAttributes() {}

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
        PacketPacingCaps.NONE,
        0,
        TagMatchingCaps.NONE,
        MODERATION,
        maxDmSize,
        PciAtomicCaps.NONE,
        CONNECTED_ODP,
        device.physPortCount());
  }
}
