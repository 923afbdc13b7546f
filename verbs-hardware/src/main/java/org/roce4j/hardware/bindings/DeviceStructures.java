package org.roce4j.hardware.bindings;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import org.roce4j.hardware.bindings.Structures.IbvDevice;
import org.roce4j.hardware.bindings.Structures.IbvDeviceAttr;
import org.roce4j.hardware.bindings.Structures.IbvDeviceAttrEx;
import org.roce4j.hardware.bindings.Structures.IbvGidEntry;
import org.roce4j.hardware.bindings.Structures.IbvPortAttr;
import org.roce4j.verbs.AtomicCap;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.DeviceAttrEx;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.GidType;
import org.roce4j.verbs.LinkLayer;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.NodeType;
import org.roce4j.verbs.PhysicalPortState;
import org.roce4j.verbs.PortAttr;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.TransportType;

/** Structures about devices and ports, as the API's records. */
public final class DeviceStructures {
  private DeviceStructures() {}

  /** The device pointer at an index of {@code ibv_get_device_list}. */
  public static long listed(long list, int index) {
    return Memory.i64(Memory.at(list, (index + 1L) * Long.BYTES), (long) index * Long.BYTES);
  }

  /** The C string at {@code ibv_device.name}. */
  public static String name(long device) {
    return text(device, IbvDevice.NAME);
  }

  /** The C string at a field of {@code ibv_device}. */
  public static String text(long device, int field) {
    return Memory.at(device, IbvDevice.SIZE).getString(field, UTF_8);
  }

  public static NodeType nodeType(long device) {
    return NodeType.of(Memory.i32(Memory.at(device, IbvDevice.SIZE), IbvDevice.NODE_TYPE));
  }

  public static TransportType transportType(long device) {
    return TransportType.of(
        Memory.i32(Memory.at(device, IbvDevice.SIZE), IbvDevice.TRANSPORT_TYPE));
  }

  /** A number that a verb wrote. */
  public static int count(MemorySegment integer) {
    return Memory.i32(integer, 0);
  }

  /** A P_Key in network order, as a number. */
  public static int pkey(MemorySegment network) {
    return Memory.u8(network, 0) << 8 | Memory.u8(network, 1);
  }

  /**
   * {@link Structures.IbvDeviceAttrEx}. libibverbs does not report the greatest size of inline
   * data; it reads as 0.
   */
  public static DeviceAttr device(MemorySegment s, int completionVectors) {
    return new DeviceAttr(
        s.getString(IbvDeviceAttr.FW_VER, UTF_8),
        Memory.network64(s, IbvDeviceAttr.NODE_GUID),
        Memory.network64(s, IbvDeviceAttr.SYS_IMAGE_GUID),
        Memory.i64(s, IbvDeviceAttr.MAX_MR_SIZE),
        Memory.i64(s, IbvDeviceAttr.PAGE_SIZE_CAP),
        Memory.i32(s, IbvDeviceAttr.VENDOR_ID),
        Memory.i32(s, IbvDeviceAttr.VENDOR_PART_ID),
        Memory.i32(s, IbvDeviceAttr.HW_VER),
        Memory.i32(s, IbvDeviceAttr.MAX_QP),
        Memory.i32(s, IbvDeviceAttr.MAX_QP_WR),
        Memory.i64(s, IbvDeviceAttrEx.DEVICE_CAP_FLAGS_EX),
        Memory.i32(s, IbvDeviceAttr.MAX_SGE),
        Memory.i32(s, IbvDeviceAttr.MAX_SGE_RD),
        Memory.i32(s, IbvDeviceAttr.MAX_CQ),
        Memory.i32(s, IbvDeviceAttr.MAX_CQE),
        Memory.i32(s, IbvDeviceAttr.MAX_MR),
        Memory.i32(s, IbvDeviceAttr.MAX_PD),
        Memory.i32(s, IbvDeviceAttr.MAX_QP_RD_ATOM),
        Memory.i32(s, IbvDeviceAttr.MAX_RES_RD_ATOM),
        Memory.i32(s, IbvDeviceAttr.MAX_QP_INIT_RD_ATOM),
        AtomicCap.of(Memory.i32(s, IbvDeviceAttr.ATOMIC_CAP)),
        Memory.i32(s, IbvDeviceAttr.MAX_MW),
        Memory.i32(s, IbvDeviceAttr.MAX_MCAST_GRP),
        Memory.i32(s, IbvDeviceAttr.MAX_MCAST_QP_ATTACH),
        Memory.i32(s, IbvDeviceAttr.MAX_TOTAL_MCAST_QP_ATTACH),
        Memory.i32(s, IbvDeviceAttr.MAX_AH),
        Memory.i32(s, IbvDeviceAttr.MAX_SRQ),
        Memory.i32(s, IbvDeviceAttr.MAX_SRQ_WR),
        Memory.i32(s, IbvDeviceAttr.MAX_SRQ_SGE),
        Memory.u16(s, IbvDeviceAttr.MAX_PKEYS),
        Memory.u8(s, IbvDeviceAttr.LOCAL_CA_ACK_DELAY),
        Memory.u8(s, IbvDeviceAttr.PHYS_PORT_CNT),
        0,
        completionVectors,
        new DeviceAttr.Legacy(
            Memory.i32(s, IbvDeviceAttr.MAX_EE_RD_ATOM),
            Memory.i32(s, IbvDeviceAttr.MAX_EE_INIT_RD_ATOM),
            Memory.i32(s, IbvDeviceAttr.MAX_EE),
            Memory.i32(s, IbvDeviceAttr.MAX_RDD),
            Memory.i32(s, IbvDeviceAttr.MAX_RAW_IPV6_QP),
            Memory.i32(s, IbvDeviceAttr.MAX_RAW_ETHY_QP),
            Memory.i32(s, IbvDeviceAttr.MAX_FMR),
            Memory.i32(s, IbvDeviceAttr.MAX_MAP_PER_FMR)));
  }

  /** {@link Structures.IbvDeviceAttrEx}, all of it. */
  public static DeviceAttrEx deviceEx(MemorySegment s, int completionVectors) {
    return new DeviceAttrEx(
        device(s, completionVectors),
        new DeviceAttrEx.OdpCaps(
            Memory.i64(s, IbvDeviceAttrEx.ODP_GENERAL_CAPS),
            Memory.i32(s, IbvDeviceAttrEx.RC_ODP_CAPS),
            Memory.i32(s, IbvDeviceAttrEx.UC_ODP_CAPS),
            Memory.i32(s, IbvDeviceAttrEx.UD_ODP_CAPS)),
        Memory.i64(s, IbvDeviceAttrEx.COMPLETION_TIMESTAMP_MASK),
        Memory.i64(s, IbvDeviceAttrEx.HCA_CORE_CLOCK),
        Memory.i64(s, IbvDeviceAttrEx.DEVICE_CAP_FLAGS_EX),
        new DeviceAttrEx.TsoCaps(
            Memory.i32(s, IbvDeviceAttrEx.MAX_TSO),
            Memory.i32(s, IbvDeviceAttrEx.TSO_SUPPORTED_QPTS)),
        new DeviceAttrEx.RssCaps(
            Memory.i32(s, IbvDeviceAttrEx.RSS_SUPPORTED_QPTS),
            Memory.i32(s, IbvDeviceAttrEx.MAX_RWQ_INDIRECTION_TABLES),
            Memory.i32(s, IbvDeviceAttrEx.MAX_RWQ_INDIRECTION_TABLE_SIZE),
            Memory.i64(s, IbvDeviceAttrEx.RX_HASH_FIELDS_MASK),
            Memory.u8(s, IbvDeviceAttrEx.RX_HASH_FUNCTION)),
        Memory.i32(s, IbvDeviceAttrEx.MAX_WQ_TYPE_RQ),
        new DeviceAttrEx.PacketPacingCaps(
            Memory.i32(s, IbvDeviceAttrEx.QP_RATE_LIMIT_MIN),
            Memory.i32(s, IbvDeviceAttrEx.QP_RATE_LIMIT_MAX),
            Memory.i32(s, IbvDeviceAttrEx.PACING_SUPPORTED_QPTS)),
        Memory.i32(s, IbvDeviceAttrEx.RAW_PACKET_CAPS),
        new DeviceAttrEx.TagMatchingCaps(
            Memory.i32(s, IbvDeviceAttrEx.TM_MAX_RNDV_HDR_SIZE),
            Memory.i32(s, IbvDeviceAttrEx.TM_MAX_NUM_TAGS),
            Memory.i32(s, IbvDeviceAttrEx.TM_FLAGS),
            Memory.i32(s, IbvDeviceAttrEx.TM_MAX_OPS),
            Memory.i32(s, IbvDeviceAttrEx.TM_MAX_SGE)),
        new DeviceAttrEx.CqModerationCaps(
            Memory.u16(s, IbvDeviceAttrEx.MAX_CQ_COUNT),
            Memory.u16(s, IbvDeviceAttrEx.MAX_CQ_PERIOD)),
        Memory.i64(s, IbvDeviceAttrEx.MAX_DM_SIZE),
        new DeviceAttrEx.PciAtomicCaps(
            Memory.u16(s, IbvDeviceAttrEx.PCI_FETCH_ADD),
            Memory.u16(s, IbvDeviceAttrEx.PCI_SWAP),
            Memory.u16(s, IbvDeviceAttrEx.PCI_COMPARE_SWAP)),
        Memory.i32(s, IbvDeviceAttrEx.XRC_ODP_CAPS),
        Memory.i32(s, IbvDeviceAttrEx.PHYS_PORT_CNT_EX));
  }

  /** {@link Structures.IbvPortAttr}. */
  public static PortAttr port(MemorySegment s) {
    return new PortAttr(
        PortState.of(Memory.i32(s, IbvPortAttr.STATE)),
        Mtu.of(Memory.i32(s, IbvPortAttr.MAX_MTU)),
        Mtu.of(Memory.i32(s, IbvPortAttr.ACTIVE_MTU)),
        Memory.i32(s, IbvPortAttr.GID_TBL_LEN),
        Memory.i32(s, IbvPortAttr.PORT_CAP_FLAGS),
        Integer.toUnsignedLong(Memory.i32(s, IbvPortAttr.MAX_MSG_SZ)),
        Memory.i32(s, IbvPortAttr.BAD_PKEY_CNTR),
        Memory.i32(s, IbvPortAttr.QKEY_VIOL_CNTR),
        Memory.u16(s, IbvPortAttr.PKEY_TBL_LEN),
        Memory.u16(s, IbvPortAttr.LID),
        Memory.u16(s, IbvPortAttr.SM_LID),
        Memory.u8(s, IbvPortAttr.LMC),
        Memory.u8(s, IbvPortAttr.MAX_VL_NUM),
        Memory.u8(s, IbvPortAttr.SM_SL),
        Memory.u8(s, IbvPortAttr.SUBNET_TIMEOUT),
        Memory.u8(s, IbvPortAttr.INIT_TYPE_REPLY),
        Memory.u8(s, IbvPortAttr.ACTIVE_WIDTH),
        Memory.u8(s, IbvPortAttr.ACTIVE_SPEED),
        PhysicalPortState.of(Memory.u8(s, IbvPortAttr.PHYS_STATE)),
        LinkLayer.of(Memory.u8(s, IbvPortAttr.LINK_LAYER)),
        Memory.u8(s, IbvPortAttr.FLAGS),
        Memory.u16(s, IbvPortAttr.PORT_CAP_FLAGS2));
  }

  /** An element of an array of {@link Structures.IbvGidEntry}. */
  public static GidEntry gidEntry(MemorySegment entries, int index) {
    long at = (long) index * IbvGidEntry.SIZE;
    return new GidEntry(
        Memory.gid(entries, at + IbvGidEntry.GID),
        Memory.i32(entries, at + IbvGidEntry.GID_INDEX),
        Memory.i32(entries, at + IbvGidEntry.PORT_NUM),
        GidType.of(Memory.i32(entries, at + IbvGidEntry.GID_TYPE)),
        Memory.i32(entries, at + IbvGidEntry.NDEV_IFINDEX));
  }
}
