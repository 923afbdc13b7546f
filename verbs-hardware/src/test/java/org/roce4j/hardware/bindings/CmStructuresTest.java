package org.roce4j.hardware.bindings;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.hardware.bindings.CmLayouts.RdmaCmEvent;
import org.roce4j.hardware.bindings.CmLayouts.RdmaCmId;
import org.roce4j.hardware.bindings.CmLayouts.RdmaCmJoinMcAttrEx;
import org.roce4j.hardware.bindings.CmLayouts.RdmaUdParam;
import org.roce4j.hardware.bindings.Structures.IbvQpAttr;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.JoinFlag;
import org.roce4j.verbs.cm.UdParam;

@EnabledOnOs(OS.LINUX)
class CmStructuresTest {
  private final Frame frame = new Frame();

  @ParameterizedTest
  @ValueSource(strings = {"10.77.0.1", "fd77::1", "0.0.0.0", "::"})
  void anAddressComesBackFromAnId(String text) {
    InetSocketAddress address = new InetSocketAddress(InetAddress.ofLiteral(text), 0xABCD);
    MemorySegment id = frame.structure(RdmaCmId.SIZE);
    MemorySegment socket = CmStructures.address(frame, address);
    MemorySegment.copy(socket, 0, id, RdmaCmId.SRC_ADDR, socket.byteSize());
    assertEquals(address, CmStructures.localAddr(id.address()));
    assertEquals( // equal addresses may differ in their scope
        address.getAddress().getHostAddress(),
        CmStructures.localAddr(id.address()).getAddress().getHostAddress());
    assertNull(CmStructures.peerAddr(id.address()));
    assertNull(CmStructures.deviceName(id.address()));
    assertEquals(0xAB, Byte.toUnsignedInt(socket.get(ValueLayout.JAVA_BYTE, 2)), "network order");
  }

  @Test
  void parametersComeBackFromAnEvent() {
    MemorySegment event = frame.structure(RdmaCmEvent.SIZE);
    event.set(ValueLayout.JAVA_INT, RdmaCmEvent.EVENT, CmEventType.REJECTED.value());
    event.set(ValueLayout.JAVA_INT, RdmaCmEvent.STATUS, -110);
    ConnParam param =
        new ConnParam()
            .privateData(new byte[] {1, 2, 3})
            .responderResources(4)
            .initiatorDepth(5)
            .flowControl(true)
            .retryCount(6)
            .rnrRetryCount(7)
            .srq(true)
            .qpNum(0xABCDEF);
    MemorySegment written = CmStructures.connParam(frame, param);
    MemorySegment.copy(written, 0, event, RdmaCmEvent.PARAM, written.byteSize());
    ConnParam read = CmStructures.eventConn(event.address());
    assertEquals(param.toString(), read.toString());
    assertArrayEquals(param.privateData(), read.privateData());
    assertEquals(CmEventType.REJECTED, CmStructures.eventType(event.address()));
    assertEquals(-110, CmStructures.eventStatus(event.address()));
  }

  @Test
  void anEventOfAGroupHasAnAddressAndAToken() {
    MemorySegment event = frame.structure(RdmaCmEvent.SIZE);
    MemorySegment ud = event.asSlice(RdmaCmEvent.PARAM, RdmaUdParam.SIZE);
    AhAttr to = AhAttr.roce(Gid.parse("239.1.1.1"), 3);
    QueueStructures.addressVector(ud, RdmaUdParam.AH_ATTR, to);
    ud.set(ValueLayout.JAVA_LONG, RdmaUdParam.PRIVATE_DATA, 42);
    ud.set(ValueLayout.JAVA_INT, RdmaUdParam.QP_NUM, 0xFFFFFF);
    ud.set(ValueLayout.JAVA_INT, RdmaUdParam.QKEY, UdParam.QKEY);
    UdParam group = CmStructures.eventGroup(event.address());
    assertEquals(to, group.ahAttr());
    assertEquals(0xFFFFFF, group.qpNum());
    assertEquals(UdParam.QKEY, group.qkey());
    assertEquals(42, CmStructures.eventToken(event.address()));
  }

  @Test
  void aJoinSaysGroupAndFlag() {
    InetAddress group = InetAddress.ofLiteral("239.1.1.1");
    MemorySegment join = CmStructures.join(frame, group, JoinFlag.SENDONLY_FULLMEMBER);
    assertEquals(1, join.get(ValueLayout.JAVA_INT, RdmaCmJoinMcAttrEx.JOIN_FLAGS));
    assertEquals(3, join.get(ValueLayout.JAVA_INT, RdmaCmJoinMcAttrEx.COMP_MASK));
  }

  @Test
  void attributesAreThoseOfTheMaskWithoutLinuxOwnBits() {
    MemorySegment attr = CmStructures.wantedState(frame, QpState.RTS);
    attr.set(ValueLayout.JAVA_BYTE, IbvQpAttr.TIMEOUT, (byte) 17);
    int linuxOwn = 0xF << 21;
    QpAttr read = CmStructures.attributes(attr, QpAttrMask.STATE | QpAttrMask.TIMEOUT | linuxOwn);
    assertEquals(QpAttrMask.STATE | QpAttrMask.TIMEOUT, read.mask());
    assertEquals(QpState.RTS, read.qpState());
    assertEquals(17, read.timeout());
  }

  @Test
  void aMissingLibrarySaysWhichPackageHasIt() {
    LibraryMissing none =
        assertThrows(LibraryMissing.class, () -> Librdmacm.load("librdmacm-that-nobody-has.so"));
    assertTrue(none.getMessage().contains("librdmacm1"), none.getMessage());
    LibraryMissing old =
        assertThrows(
            LibraryMissing.class, () -> new Librdmacm("old", (name, version) -> Optional.empty()));
    assertTrue(old.getMessage().contains("rdma_create_event_channel@RDMACM_1.0"));
  }
}
