package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What the attributes of new objects say, where each number is another one. */
class CreationAttributesTest {
  private static final Gid GID = Gid.ofIpv4(0x0A00_0001);

  @Test
  void aRoceAddressLeavesByPortOneWithSixtyFourHops() {
    GlobalRoute route = new GlobalRoute(GID, 0, 3, 64, 0);
    assertEquals(new AhAttr(true, route, 0, 0, 0, 0, 1), AhAttr.roce(GID, 3));
    GlobalRoute marked = new GlobalRoute(GID, 0, 3, 7, 8);
    assertEquals(new AhAttr(true, marked, 0, 0, 0, 0, 1), AhAttr.roce(GID, 3, 7, 8));
  }

  @Test
  void anotherPortIsAllThatDiffers() {
    GlobalRoute route = new GlobalRoute(GID, 1, 2, 3, 4);
    assertEquals(
        new AhAttr(true, route, 5, 6, 7, 8, 10), new AhAttr(true, route, 5, 6, 7, 8, 9).onPort(10));
  }

  @Test
  void completionQueuesAreAskedForAsSet() {
    CqInitAttr attr = new CqInitAttr().cqe(2).compVector(3).wcFlags(4).flags(5);
    assertEquals(
        List.of(2, 3, 4, 5), List.of(attr.cqe(), attr.compVector(), attr.wcFlags(), attr.flags()));
    CqInitAttr usual = new CqInitAttr();
    assertEquals(
        List.of(1, 0, WcExFlags.STANDARD, 0),
        List.of(usual.cqe(), usual.compVector(), usual.wcFlags(), usual.flags()));
  }

  @Test
  void aQueuePairIsCopiedWithEveryNumber() {
    QpCapabilities cap = new QpCapabilities(1, 2, 3, 4, 5);
    QpInitAttr copy =
        new QpInitAttr()
            .userContext("mine")
            .cap(cap)
            .qpType(QpType.UC)
            .sqSigAll(true)
            .createFlags(6)
            .sourceQpn(7)
            .sendOps(8)
            .copy();
    assertEquals(
        List.of("mine", cap, QpType.UC, true, 6, 7, 8L),
        List.of(
            copy.userContext(),
            copy.cap(),
            copy.qpType(),
            copy.sqSigAll(),
            copy.createFlags(),
            copy.sourceQpn(),
            copy.sendOps()));
    assertEquals(new QpCapabilities(1, 1, 1, 1, 0), new QpInitAttr().cap());
    assertEquals(new QpCapabilities(1, 2, 3, 4, 0), new QpCapabilities(1, 2, 3, 4));
  }

  @Test
  void aDeviceWithoutExtensionsHasTheCapabilitiesOfTheDeviceAlone() {
    DeviceAttr device =
        new DeviceAttr(
            "1.0",
            1,
            2,
            3,
            4,
            5,
            6,
            7,
            8,
            9,
            10,
            11,
            12,
            13,
            14,
            15,
            16,
            17,
            18,
            19,
            AtomicCap.NONE,
            20,
            21,
            22,
            23,
            24,
            25,
            26,
            27,
            28,
            29,
            30,
            31,
            32,
            DeviceAttr.Legacy.NONE);
    DeviceAttrEx extended = DeviceAttrEx.of(device);
    assertEquals(device, extended.device());
    assertEquals(10, extended.deviceCapFlagsEx());
    assertEquals(0, extended.completionTimestampMask());
  }

  @Test
  void aSharedQueueIsCopiedWithEveryNumber() {
    assertEquals(SrqType.BASIC, new SrqInitAttrEx().srqType());
    SrqInitAttrEx copy =
        new SrqInitAttrEx().srqType(SrqType.XRC).userContext("mine").maxWr(2).maxSge(3).copy();
    assertEquals(SrqType.XRC, copy.srqType());
    assertEquals(new SrqInitAttr("mine", 2, 3, 0), copy.basic());
  }
}
