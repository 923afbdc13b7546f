package org.roce4j.hardware.bindings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.roce4j.hardware.bindings.Structures.IbvDeviceAttr;
import org.roce4j.hardware.bindings.Structures.IbvDeviceAttrEx;
import org.roce4j.hardware.bindings.Structures.IbvGidEntry;
import org.roce4j.hardware.bindings.Structures.IbvPortAttr;
import org.roce4j.verbs.AtomicCap;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.DeviceAttrEx;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.GidType;
import org.roce4j.verbs.LinkLayer;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.PhysicalPortState;
import org.roce4j.verbs.PortAttr;
import org.roce4j.verbs.PortFlags;
import org.roce4j.verbs.PortState;

class DeviceStructuresTest {
  @Test
  void aDeviceIsRead() {
    try (Frame frame = new Frame()) {
      MemorySegment s = frame.structure(IbvDeviceAttrEx.SIZE);
      s.setString(IbvDeviceAttr.FW_VER, "1.2.3");
      s.set(java.lang.foreign.ValueLayout.JAVA_BYTE, IbvDeviceAttr.NODE_GUID, (byte) 0x50);
      Memory.i64(s, IbvDeviceAttr.MAX_MR_SIZE, -1);
      Memory.i32(s, IbvDeviceAttr.MAX_QP, 1_000_000);
      Memory.i64(s, IbvDeviceAttrEx.DEVICE_CAP_FLAGS_EX, 1L << 40 | 5);
      Memory.i32(s, IbvDeviceAttr.ATOMIC_CAP, 1);
      Memory.u16(s, IbvDeviceAttr.MAX_PKEYS, 0xffff);
      Memory.u8(s, IbvDeviceAttr.LOCAL_CA_ACK_DELAY, 15);
      Memory.u8(s, IbvDeviceAttr.PHYS_PORT_CNT, 200);
      DeviceAttr attr = DeviceStructures.device(s, 4);
      assertEquals("1.2.3", attr.firmwareVersion());
      assertEquals(0x50L << 56, attr.nodeGuid());
      assertEquals(-1, attr.maxMrSize());
      assertEquals(1_000_000, attr.maxQp());
      assertEquals(1L << 40 | 5, attr.deviceCapFlags());
      assertEquals(AtomicCap.HCA, attr.atomicCap());
      assertEquals(0xffff, attr.maxPkeys());
      assertEquals(15, attr.localCaAckDelay());
      assertEquals(200, attr.physPortCount());
      assertEquals(4, attr.numCompVectors());
    }
  }

  /** The value of each field is the number of its place in the record. */
  @Test
  void theExtendedAttributesAreRead() {
    try (Frame frame = new Frame()) {
      MemorySegment s = frame.structure(IbvDeviceAttrEx.SIZE);
      Memory.i64(s, IbvDeviceAttrEx.ODP_GENERAL_CAPS, 1);
      Memory.i32(s, IbvDeviceAttrEx.RC_ODP_CAPS, 2);
      Memory.i32(s, IbvDeviceAttrEx.UC_ODP_CAPS, 3);
      Memory.i32(s, IbvDeviceAttrEx.UD_ODP_CAPS, 4);
      Memory.i64(s, IbvDeviceAttrEx.COMPLETION_TIMESTAMP_MASK, -5);
      Memory.i64(s, IbvDeviceAttrEx.HCA_CORE_CLOCK, 6);
      Memory.i64(s, IbvDeviceAttrEx.DEVICE_CAP_FLAGS_EX, 7);
      Memory.i32(s, IbvDeviceAttrEx.MAX_TSO, 8);
      Memory.i32(s, IbvDeviceAttrEx.TSO_SUPPORTED_QPTS, 9);
      Memory.i32(s, IbvDeviceAttrEx.RSS_SUPPORTED_QPTS, 10);
      Memory.i32(s, IbvDeviceAttrEx.MAX_RWQ_INDIRECTION_TABLES, 11);
      Memory.i32(s, IbvDeviceAttrEx.MAX_RWQ_INDIRECTION_TABLE_SIZE, 12);
      Memory.i64(s, IbvDeviceAttrEx.RX_HASH_FIELDS_MASK, 13);
      Memory.u8(s, IbvDeviceAttrEx.RX_HASH_FUNCTION, 14);
      Memory.i32(s, IbvDeviceAttrEx.MAX_WQ_TYPE_RQ, 15);
      Memory.i32(s, IbvDeviceAttrEx.QP_RATE_LIMIT_MIN, 16);
      Memory.i32(s, IbvDeviceAttrEx.QP_RATE_LIMIT_MAX, 17);
      Memory.i32(s, IbvDeviceAttrEx.PACING_SUPPORTED_QPTS, 18);
      Memory.i32(s, IbvDeviceAttrEx.RAW_PACKET_CAPS, 19);
      Memory.i32(s, IbvDeviceAttrEx.TM_MAX_RNDV_HDR_SIZE, 20);
      Memory.i32(s, IbvDeviceAttrEx.TM_MAX_NUM_TAGS, 21);
      Memory.i32(s, IbvDeviceAttrEx.TM_FLAGS, 22);
      Memory.i32(s, IbvDeviceAttrEx.TM_MAX_OPS, 23);
      Memory.i32(s, IbvDeviceAttrEx.TM_MAX_SGE, 24);
      Memory.u16(s, IbvDeviceAttrEx.MAX_CQ_COUNT, 0xff19);
      Memory.u16(s, IbvDeviceAttrEx.MAX_CQ_PERIOD, 26);
      Memory.i64(s, IbvDeviceAttrEx.MAX_DM_SIZE, 27);
      Memory.u16(s, IbvDeviceAttrEx.PCI_FETCH_ADD, 28);
      Memory.u16(s, IbvDeviceAttrEx.PCI_SWAP, 29);
      Memory.u16(s, IbvDeviceAttrEx.PCI_COMPARE_SWAP, 30);
      Memory.i32(s, IbvDeviceAttrEx.XRC_ODP_CAPS, 31);
      Memory.i32(s, IbvDeviceAttrEx.PHYS_PORT_CNT_EX, 32);
      assertEquals(
          new DeviceAttrEx(
              DeviceStructures.device(s, 1),
              new DeviceAttrEx.OdpCaps(1, 2, 3, 4),
              -5,
              6,
              7,
              new DeviceAttrEx.TsoCaps(8, 9),
              new DeviceAttrEx.RssCaps(10, 11, 12, 13, 14),
              15,
              new DeviceAttrEx.PacketPacingCaps(16, 17, 18),
              19,
              new DeviceAttrEx.TagMatchingCaps(20, 21, 22, 23, 24),
              new DeviceAttrEx.CqModerationCaps(0xff19, 26),
              27,
              new DeviceAttrEx.PciAtomicCaps(28, 29, 30),
              31,
              32),
          DeviceStructures.deviceEx(s, 1));
    }
  }

  @Test
  void aPortIsRead() {
    try (Frame frame = new Frame()) {
      MemorySegment s = frame.structure(IbvPortAttr.SIZE);
      Memory.i32(s, IbvPortAttr.STATE, 4);
      Memory.i32(s, IbvPortAttr.MAX_MTU, 5);
      Memory.i32(s, IbvPortAttr.ACTIVE_MTU, 3);
      Memory.i32(s, IbvPortAttr.GID_TBL_LEN, 1024);
      Memory.i32(s, IbvPortAttr.MAX_MSG_SZ, 0x8000_0000);
      Memory.u16(s, IbvPortAttr.PKEY_TBL_LEN, 64);
      Memory.u8(s, IbvPortAttr.ACTIVE_SPEED, 128);
      Memory.u8(s, IbvPortAttr.PHYS_STATE, 5);
      Memory.u8(s, IbvPortAttr.LINK_LAYER, 2);
      Memory.u8(s, IbvPortAttr.FLAGS, 1);
      Memory.u16(s, IbvPortAttr.PORT_CAP_FLAGS2, 0x24);
      assertEquals(
          new PortAttr(
              PortState.ACTIVE,
              Mtu.MTU_4096,
              Mtu.MTU_1024,
              1024,
              0,
              0x8000_0000L,
              0,
              0,
              64,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              128,
              PhysicalPortState.LINK_UP,
              LinkLayer.ETHERNET,
              PortFlags.GRH_REQUIRED,
              0x24),
          DeviceStructures.port(s));
    }
  }

  @Test
  void gidEntriesAreReadByIndex() {
    try (Frame frame = new Frame()) {
      MemorySegment s = frame.structure(2 * IbvGidEntry.SIZE);
      GidEntry second = new GidEntry(Gid.parse("10.77.0.2"), 1, 1, GidType.ROCE_V2, 3);
      Memory.gid(s, IbvGidEntry.SIZE, second.gid());
      Memory.i32(s, IbvGidEntry.SIZE + IbvGidEntry.GID_INDEX, 1);
      Memory.i32(s, IbvGidEntry.SIZE + IbvGidEntry.PORT_NUM, 1);
      Memory.i32(s, IbvGidEntry.SIZE + IbvGidEntry.GID_TYPE, 2);
      Memory.i32(s, IbvGidEntry.SIZE + IbvGidEntry.NDEV_IFINDEX, 3);
      assertEquals(second, DeviceStructures.gidEntry(s, 1));
    }
  }

  @Test
  void aPartitionKeyIsReadFromNetworkOrder() {
    try (Frame frame = new Frame()) {
      MemorySegment s = frame.structure(2);
      Memory.u8(s, 0, 0x80);
      Memory.u8(s, 1, 0x01);
      assertEquals(0x8001, DeviceStructures.pkey(s));
    }
  }
}
