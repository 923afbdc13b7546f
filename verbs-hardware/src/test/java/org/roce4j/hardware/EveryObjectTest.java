package org.roce4j.hardware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.hardware.LibraryRefusals.refused;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.ThreadDomain;

/** What each kind of object tells of itself, and a region by each way to register it. */
@EnabledOnOs(OS.LINUX)
class EveryObjectTest extends WholeDriverFixture {
  private static final int WRITE = AccessFlags.LOCAL_WRITE;
  private static final int ZERO_BASED = AccessFlags.ZERO_BASED;
  private static final long OF_MEMORY = -1;

  /** A way to register a region, with the length, base and rights that the region tells. */
  enum Way {
    MEMORY(test -> test.pd.registerMemory(test.memory, WRITE), 64, OF_MEMORY, WRITE),
    IOVA(test -> test.pd.registerMemory(test.memory, 0x7000, WRITE), 64, 0x7000, WRITE),
    ZERO(test -> test.pd.registerMemory(test.memory, ZERO_BASED), 64, 0, ZERO_BASED),
    DEVICE_MEMORY(
        test -> test.pd.registerDeviceMemory(test.dm, 8, 16, ZERO_BASED), 16, 0, ZERO_BASED),
    DMABUF(test -> test.pd.registerDmabuf(4096, 32, 0x9000, 7, WRITE), 32, 0x9000, WRITE),
    NOTHING(test -> test.pd.allocNullMr(), Long.MAX_VALUE, 0, WRITE),
    IMPORTED(test -> test.pd.importMr(5), 0, 0, 0);

    private final Function<EveryObjectTest, MemoryRegion> verb;
    private final long length;
    private final long iova;
    private final int access;

    Way(Function<EveryObjectTest, MemoryRegion> verb, long length, long iova, int access) {
      this.verb = verb;
      this.length = length;
      this.iova = iova;
      this.access = access;
    }
  }

  private final MemorySegment memory = arena.allocate(64);

  @ParameterizedTest
  @EnumSource
  void tellsWhatItCovers(Way way) {
    MemoryRegion made = way.verb.apply(this);
    boolean ofProgram = way.ordinal() <= Way.ZERO.ordinal();
    assertEquals(way.length, made.length());
    assertEquals(way.iova == OF_MEMORY ? memory.address() : way.iova, made.iova());
    assertEquals(way.access, made.accessFlags());
    assertEquals(ofProgram ? memory : MemorySegment.NULL, made.memory());
    assertEquals(made.memory().address(), made.address());
    assertEquals(ofProgram ? List.of(0, 0) : List.of(11, 12), List.of(made.lkey(), made.rkey()));
    assertSame(pd, made.pd());
  }

  @Test
  void aSharedReceiveQueueTellsItsType() {
    SharedReceiveQueue extended = context.createSrq(receivesOfXrc().userContext("extended"));
    assertEquals(SrqType.XRC, extended.srqType());
    assertSame(xrcd, extended.xrcd());
    assertSame(cq, extended.cq());
    assertSame(pd, extended.pd());
    assertEquals("extended", extended.userContext());
    assertEquals(SrqType.BASIC, srq.srqType());
    assertNull(srq.xrcd());
    assertNull(srq.cq());
  }

  @ParameterizedTest
  @EnumSource(names = {"RC", "UC", "UD", "XRC_SEND", "XRC_RECV"})
  void aQueuePairTellsItsPartsAndNoOther(QpType type) {
    boolean sends = type != QpType.XRC_RECV;
    boolean receives = sends && type != QpType.XRC_SEND;
    QueuePair qp = context.createQp(initAttr(type).sqSigAll(sends).userContext(type));
    assertEquals(type, qp.qpType());
    assertEquals(type, qp.userContext());
    assertEquals(sends, qp.sqSigAll());
    assertSame(sends ? pd : null, qp.pd());
    assertSame(sends ? cq : null, qp.sendCq());
    assertSame(receives ? cq : null, qp.recvCq());
    assertNull(qp.srq());
  }

  @Test
  void anyOtherObjectTellsWhatItWasMadeOf() {
    AhAttr to = AhAttr.roce(Gid.parse("10.0.0.1"), 0);
    AddressHandle ah = pd.createAh(to);
    MemoryWindow second = pd.allocMemoryWindow(MwType.TYPE_2);
    assertEquals(to, ah.attr());
    assertSame(pd, ah.pd());
    assertEquals(List.of(MwType.TYPE_1, MwType.TYPE_2), List.of(window.type(), second.type()));
    assertSame(pd, second.pd());
    assertEquals(DM_BYTES, dm.length());
    assertSame(channel, cq.channel());
  }

  private void refusesFor(AutoCloseable used, AutoCloseable... users) {
    String destroyer = ((HardwareObject) used).destroyer();
    c.does(destroyer, _ -> Errno.EBUSY.number());
    c.does(destroyer.replace("ibv_", ""), _ -> Errno.EBUSY.number());
    String words = refused(Errno.EBUSY, used::close).remedy();
    String start = destroyer + ": " + used + " is used by ";
    assertTrue(words.startsWith(start), () -> words + " does not begin with " + start);
    for (AutoCloseable user : users) {
      assertTrue(words.contains(user.toString()), () -> user + " is missing in: " + words);
    }
  }

  @Test
  void whatTheDriverRefusesToDestroyIsNamedWithItsUsers() {
    QueuePair qp = context.createQp(initAttr(QpType.RC).srq(srq));
    QueuePair target = queuePair(QpType.XRC_RECV);
    SharedReceiveQueue xrc = context.createSrq(receivesOfXrc());
    ThreadDomain td = context.allocTd();
    ProtectionDomain parent = context.allocParentDomain(new ParentDomainInitAttr(pd, td));
    MemoryRegion part = pd.registerDeviceMemory(dm, 0, DM_BYTES, ZERO_BASED);
    AddressHandle ah = pd.createAh(AhAttr.roce(Gid.parse("10.0.0.1"), 0));
    refusesFor(pd, qp, srq, xrc, parent, region, part, ah, window);
    refusesFor(channel, cq);
    refusesFor(cq, qp, xrc);
    refusesFor(srq, qp);
    refusesFor(xrcd, xrc, target);
    refusesFor(td, parent);
    refusesFor(dm, part);
  }

  @Test
  void whatTheDriverRefusesToDestroyWithoutAKnownUserIsNamed() {
    c.does("ibv_dereg_mr", _ -> Errno.EINVAL.number());
    String words = refused(Errno.EINVAL, region::close).remedy();
    assertTrue(words.startsWith(region + ": ibv_dereg_mr: "), words);
  }
}
