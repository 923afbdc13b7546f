package org.roce4j.device;

import org.roce4j.engine.Limit;
import org.roce4j.verbs.AtomicCap;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.DeviceCapFlags;

/** The answer of an emulated device to {@code ibv_query_device}. */
final class DeviceAttributes {
  private static final int VENDOR_ID = 0xffffff;
  private static final long PAGE_SIZES = 0xfffff000L;

  private static final long CAPABILITIES =
      DeviceCapFlags.BAD_PKEY_CNTR
          | DeviceCapFlags.BAD_QKEY_CNTR
          | DeviceCapFlags.CURR_QP_STATE_MOD
          | DeviceCapFlags.PORT_ACTIVE_EVENT
          | DeviceCapFlags.SYS_IMAGE_GUID
          | DeviceCapFlags.RC_RNR_NAK_GEN
          | DeviceCapFlags.SRQ_RESIZE
          | DeviceCapFlags.MEM_WINDOW
          | DeviceCapFlags.XRC
          | DeviceCapFlags.MEM_WINDOW_TYPE_2B
          | DeviceCapFlags.FLUSH_GLOBAL
          | DeviceCapFlags.FLUSH_PERSISTENT
          | DeviceCapFlags.ATOMIC_WRITE;

  private DeviceAttributes() {}

  static DeviceAttr of(Device device) {
    return new DeviceAttr(
        "",
        device.guid(),
        device.guid(),
        -1L,
        PAGE_SIZES,
        VENDOR_ID,
        0,
        0,
        device.limit(Limit.MAX_QP),
        device.limit(Limit.MAX_QP_WR),
        CAPABILITIES,
        device.limit(Limit.MAX_SGE),
        device.limit(Limit.MAX_SGE),
        device.limit(Limit.MAX_CQ),
        device.limit(Limit.MAX_CQE),
        device.limit(Limit.MAX_MR),
        device.limit(Limit.MAX_PD),
        device.limit(Limit.MAX_QP_RD_ATOMIC),
        device.limit(Limit.MAX_QP_RD_ATOMIC) * device.limit(Limit.MAX_QP),
        device.limit(Limit.MAX_QP_RD_ATOMIC),
        AtomicCap.HCA,
        device.limit(Limit.MAX_MW),
        device.limit(Limit.MAX_MCAST_GROUPS),
        device.limit(Limit.MAX_MCAST_QP_ATTACH),
        device.limit(Limit.MAX_MCAST_GROUPS) * device.limit(Limit.MAX_MCAST_QP_ATTACH),
        device.limit(Limit.MAX_AH),
        device.limit(Limit.MAX_SRQ),
        device.limit(Limit.MAX_SRQ_WR),
        device.limit(Limit.MAX_SRQ_SGE),
        device.pkeyTableLength(),
        15,
        device.ports(),
        device.limit(Limit.MAX_INLINE_DATA),
        device.engineCount(),
        DeviceAttr.Legacy.NONE);
  }
}
