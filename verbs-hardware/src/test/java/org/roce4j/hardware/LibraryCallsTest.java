package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.hardware.LibraryRefusals.refused;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.LibraryInJava;
import org.roce4j.hardware.bindings.Structures.IbvDeviceAttr;
import org.roce4j.hardware.bindings.Structures.IbvPortAttr;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.ReregError;
import org.roce4j.verbs.ReregistrationException;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;

/** The calls of libibverbs that objects make, in their order, and what they make of the answers. */
@EnabledOnOs(OS.LINUX)
class LibraryCallsTest extends LibraryFixture {
  @Test
  void aContextThatIsClosedDestroysTheNewestFirst() {
    CompletionChannel channel = context.createCompletionChannel();
    ProtectionDomain pd = context.allocPd();
    CompletionQueue cq = context.createCq(1, null, channel, 0);
    pd.registerMemory(arena.allocate(64), 0);
    queuePair(pd, cq);
    c.calls.clear();
    context.close();
    context.close();
    assertEquals(
        List.of(
            "ibv_destroy_qp",
            "ibv_dereg_mr",
            "ibv_destroy_cq",
            "ibv_dealloc_pd",
            "ibv_destroy_comp_channel",
            "ibv_close_device"),
        c.calls);
  }

  @Test
  void anObjectWhoseDestructionWasRefusedCanBeUsedAndDestroyedLater() {
    ProtectionDomain pd = context.allocPd();
    c.does("ibv_dealloc_pd", a -> Errno.EBUSY.number());
    for (int i = 0; i < 2; i++) {
      refused(Errno.EBUSY, pd::close);
      pd.registerMemory(arena.allocate(64), 0).close();
    }
    c.does("ibv_dealloc_pd", a -> 0);
    pd.close();
    c.calls.clear();
    pd.close();
    assertEquals(List.of(), c.calls);
  }

  @Test
  @Tag("ibv_rereg_mr")
  void aRegionThatIsRegisteredAgainHasTheKeysThatItGot() {
    ProtectionDomain first = context.allocPd();
    ProtectionDomain second = context.allocPd();
    MemoryRegion region = first.registerMemory(arena.allocate(64), AccessFlags.LOCAL_WRITE);
    List<List<Long>> asked = new ArrayList<>();
    c.does(
        "ibv_rereg_mr",
        a -> {
          asked.add(List.of(a[1], a[2], a[5]));
          LibraryInJava.keys(a[0], 100 + asked.size(), 200 + asked.size());
          return 0;
        });
    region.reregister(second, -1);
    assertSame(second, region.pd());
    region.reregister(null, 0);
    region.reregister(first, AccessFlags.LOCAL_WRITE);
    assertSame(first, region.pd());
    // In enum ibv_rereg_mr_flags the change of the domain is 2 and that of the access rights 4.
    // libibverbs refuses rights without the latter (EINVAL).
    long to = address(second);
    long write = AccessFlags.LOCAL_WRITE;
    assertEquals(
        List.of(List.of(2L, to, 0L), List.of(4L, 0L, 0L), List.of(6L, address(first), write)),
        asked);
    assertEquals(103, region.lkey());
    assertEquals(203, region.rkey());
  }

  @Test
  @Tag("ibv_get_async_event")
  void theDescriptorsAreThoseOfTheLibrary() {
    c.does("ibv_get_async_event", a -> Errno.EAGAIN.number());
    assertEquals(descriptor, context.asyncFd());
    assertNull(context.getAsyncEvent(1_000_000));
    CompletionChannel channel = context.createCompletionChannel();
    assertEquals(descriptor, channel.fd());
    channel.close();
    assertThrows(VerbsException.class, channel::fd);
  }

  @Test
  @Tag("ibv_get_device_guid")
  void theGuidLiesInNetworkOrder() {
    c.does("ibv_get_device_guid", a -> Long.reverseBytes(0x0102_0304_0506_0708L));
    try (Frame frame = new Frame()) {
      assertEquals(0x0102_0304_0506_0708L, c.library().getDeviceGuid(frame, 1));
    }
  }

  @Test
  @Tag("ibv_reg_mr")
  void theDeviceJudgesOnDemandPaging() {
    ProtectionDomain pd = context.allocPd();
    pd.registerMemory(arena.allocate(64), AccessFlags.ON_DEMAND);
    assertTrue(c.calls.contains("ibv_reg_mr_iova2"), c.calls::toString);
  }

  @Test
  @Tag("ibv_rereg_mr")
  void aRegionThatFailsToMoveSaysWhichRegionIsValid() {
    MemorySegment old = arena.allocate(64);
    MemorySegment other = arena.allocate(128);
    MemoryRegion region = context.allocPd().registerMemory(old, AccessFlags.LOCAL_WRITE);
    List<List<Long>> asked = new ArrayList<>();
    int[] status = {-4};
    c.does(
        "ibv_rereg_mr",
        a -> {
          asked.add(List.of(a[1], a[3], a[4]));
          return status[0];
        });
    ReregistrationException e =
        assertThrows(ReregistrationException.class, () -> region.reregister(other, null, -1));
    assertEquals(ReregError.CMD, e.error());
    assertEquals(ReregError.Valid.NONE, e.error().valid());
    assertSame(old, region.memory());
    status[0] = -3;
    e = assertThrows(ReregistrationException.class, () -> region.reregister(other, null, -1));
    assertEquals(ReregError.Valid.NEW, e.error().valid());
    assertSame(other, region.memory());
    assertEquals(other.address(), region.iova());
    List<Long> moves = List.of(1L, other.address(), 128L);
    assertEquals(List.of(moves, moves), asked);
  }

  @Test
  void aQueryAsksForEveryAttribute() {
    QueuePair qp = queuePair(context.allocPd(), context.createCq(1, null, null, 0));
    List<Long> masks = new ArrayList<>();
    c.does(
        "ibv_query_qp",
        a -> {
          masks.add(a[2]);
          return 0;
        });
    qp.query();
    long every = QpAttrMask.STATE | QpAttrMask.AV | QpAttrMask.CAP | QpAttrMask.DEST_QPN;
    assertEquals(every, masks.getFirst() & every);
  }

  @Test
  void theTableOfGidsHasRoomForThoseOfAllPorts() {
    c.does(
        "ibv_query_device",
        a -> {
          MemorySegment attr = LibraryInJava.at(a[1], IbvDeviceAttr.SIZE);
          attr.set(JAVA_BYTE, IbvDeviceAttr.PHYS_PORT_CNT, (byte) 2);
          return 0;
        });
    c.does(
        "ibv_query_port",
        a -> {
          MemorySegment attr = LibraryInJava.at(a[2], IbvPortAttr.SIZE);
          attr.set(JAVA_INT, IbvPortAttr.GID_TBL_LEN, (int) (10 * a[1]));
          return 0;
        });
    List<Long> rooms = new ArrayList<>();
    c.does(
        "_ibv_query_gid_table",
        a -> {
          rooms.add(a[2]);
          return 0;
        });
    assertTrue(context.queryGidTable().isEmpty());
    assertEquals(List.of(30L), rooms);
  }

  @Test
  void aVerbIsCalledWithItsObjectAndWhatItWasGiven() {
    ProtectionDomain pd = context.allocPd();
    CompletionQueue cq = context.createCq(1, null, null, 0);
    SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(4, 1));
    QueuePair qp = queuePair(pd, cq);
    Gid group = Gid.parse("239.1.2.3");
    List<List<Long>> resized = asked("ibv_resize_cq", 2);
    List<List<Long>> limits = asked("ibv_modify_srq", 3);
    List<List<Long>> modified = asked("ibv_modify_qp", 3);
    List<List<Long>> attached = asked("ibv_attach_mcast", 1);
    List<List<Long>> detached = asked("ibv_detach_mcast", 1);
    cq.resize(9);
    srq.modify(new SrqAttr(0, 0, 1), SrqAttrMask.LIMIT);
    qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(1));
    qp.attachMulticast(group);
    qp.detachMulticast(group);
    assertEquals(List.of(List.of(address(cq), 9L)), resized);
    assertEquals(address(srq), limits.getFirst().getFirst());
    assertEquals(SrqAttrMask.LIMIT, limits.getFirst().getLast());
    assertEquals(address(qp), modified.getFirst().getFirst());
    long mask = QpAttrMask.STATE | QpAttrMask.PKEY_INDEX | QpAttrMask.PORT | QpAttrMask.QKEY;
    assertEquals(mask, modified.getFirst().getLast());
    assertEquals(List.of(List.of(address(qp))), attached);
    assertEquals(attached, detached);
  }

  @Test
  void whatIsMadeIsMadeAsAsked() {
    List<List<Long>> made = new ArrayList<>();
    for (String function : List.of("ibv_create_cq", "ibv_reg_mr_iova2")) {
      LibraryInJava.Function usual = c.now(function);
      c.does(
          function,
          a -> {
            made.add(List.of(a[0], a[1], a[2], a[3], a[4]));
            return usual.call(a);
          });
    }
    CompletionChannel channel = context.createCompletionChannel();
    ProtectionDomain pd = context.allocPd();
    MemorySegment memory = arena.allocate(64);
    context.createCq(3, null, channel, 2);
    pd.registerMemory(memory, AccessFlags.LOCAL_WRITE);
    pd.registerMemory(memory, AccessFlags.ZERO_BASED);
    pd.registerMemory(memory, 4096, 0);
    long at = memory.address();
    assertEquals(
        List.of(
            List.of(context.address(), 3L, 0L, address(channel), 2L),
            List.of(address(pd), at, 64L, at, (long) AccessFlags.LOCAL_WRITE),
            List.of(address(pd), at, 64L, 0L, (long) AccessFlags.ZERO_BASED),
            List.of(address(pd), at, 64L, 4096L, 0L)),
        made);
  }

  @Test
  void anObjectTellsWhatItWasMadeWith() {
    CompletionChannel channel = context.createCompletionChannel();
    ProtectionDomain pd = context.allocPd();
    CompletionQueue sends = context.createCq(1, "sends", channel, 0);
    CompletionQueue receives = context.createCq(1, null, null, 0);
    SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr("srq", 4, 1, 0));
    QueuePair qp =
        pd.createQp(
            new QpInitAttr()
                .qpType(QpType.RC)
                .sendCq(sends)
                .recvCq(receives)
                .srq(srq)
                .userContext("qp")
                .cap(new QpCapabilities(1, 0, 1, 0, 0)));
    assertSame(channel, sends.channel());
    assertNull(receives.channel());
    assertEquals(
        List.of("sends", "srq", "qp"),
        List.of(sends.userContext(), srq.userContext(), qp.userContext()));
    assertSame(sends, qp.sendCq());
    assertSame(receives, qp.recvCq());
    assertSame(srq, qp.srq());
    assertSame(pd, qp.pd());
    assertSame(pd, srq.pd());
    MemoryRegion region = pd.registerMemory(arena.allocate(64), AccessFlags.LOCAL_WRITE);
    region.reregister(null, AccessFlags.REMOTE_READ);
    assertEquals(AccessFlags.REMOTE_READ, region.accessFlags());
    assertSame(pd, region.pd());
  }
}
