package org.roce4j.service;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.bench.Expect.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Device memory, and regions of it or of nothing. */
@Timeout(60)
abstract class DeviceMemoryContract {
  private static final int ZERO_BASED = LoopedPair.ALL | AccessFlags.ZERO_BASED;

  private static MemorySegment text(String text) {
    return MemorySegment.ofArray(text.getBytes(US_ASCII));
  }

  private static String text(DeviceMemory dm, long at, int bytes) {
    byte[] copy = new byte[bytes];
    dm.copyFrom(MemorySegment.ofArray(copy), at);
    return new String(copy, US_ASCII);
  }

  @Test
  @Tag("ibv_alloc_dm")
  @Tag("ibv_free_dm")
  @Tag("ibv_memcpy_to_dm")
  @Tag("ibv_memcpy_from_dm")
  void whatIsCopiedInIsCopiedOut(Context context) {
    try (DeviceMemory dm = context.allocDm(100, 6)) {
      assertEquals("\0\0", text(dm, 98, 2));
      dm.copyTo(97, text("end"));
      assertEquals("\0end", text(dm, 96, 4));
      refused(Errno.EFAULT, () -> dm.copyTo(98, text("end")));
      refused(Errno.EFAULT, () -> dm.copyTo(-1, text("x")));
      refused(Errno.EFAULT, () -> dm.copyFrom(MemorySegment.ofArray(new byte[101]), 0));
      refused(Errno.EFAULT, () -> dm.copyFrom(text("x").asReadOnly(), 0));
      assertEquals("\0end", text(dm, 96, 4));
    }
  }

  @Test
  @Tag("ibv_alloc_dm")
  @Tag("ibv_query_device_ex")
  void thereIsAsMuchAsTheDeviceSays(Context context) {
    long most = context.queryDeviceEx().maxDmSize();
    refused(Errno.EINVAL, () -> context.allocDm(0, 0));
    refused(Errno.EINVAL, () -> context.allocDm(most + 1, 0));
    refused(Errno.EINVAL, () -> context.allocDm(1, 64));
    try (DeviceMemory all = context.allocDm(most, 0)) {
      assertEquals(most, all.length());
      refused(Errno.ENOMEM, () -> context.allocDm(1, 0));
    }
    context.allocDm(most, 12).close();
  }

  @Test
  @Tag("ibv_reg_dm_mr")
  void peersUseARegionOfItFromAddressZeroOn(Context context) {
    LoopedPair loop = new LoopedPair(context);
    try (DeviceMemory dm = context.allocDm(256, 3);
        MemoryRegion region = loop.pd.registerDeviceMemory(dm, 64, 128, ZERO_BASED)) {
      assertEquals(0, region.iova());
      assertEquals(128, region.length());
      assertEquals(MemorySegment.NULL, region.memory());
      loop.memory.setString(0, "written");
      loop.request(WrOpcode.RDMA_WRITE, region, 120).sge(loop.region, 0, 8);
      assertEquals(WcStatus.SUCCESS, loop.status());
      assertEquals("written\0", text(dm, 64 + 120, 8));
      dm.copyTo(64, text("to read"));
      loop.request(WrOpcode.RDMA_READ, region, 0).sge(loop.region, 4096, 8);
      assertEquals(WcStatus.SUCCESS, loop.status());
      assertEquals("to read", loop.memory.getString(4096));
      loop.request(WrOpcode.RDMA_WRITE, loop.region, 16).sge(region, 0, 8);
      assertEquals(WcStatus.SUCCESS, loop.status());
      assertEquals("to read", loop.memory.getString(16));
    }
  }

  @Test
  @Tag("ibv_reg_dm_mr")
  void atomicsCountInIt(Context context) {
    LoopedPair loop = new LoopedPair(context);
    try (DeviceMemory dm = context.allocDm(8, 3);
        MemoryRegion region = loop.pd.registerDeviceMemory(dm, 0, 8, ZERO_BASED)) {
      for (int i = 0; i < 3; i++) {
        loop.request(WrOpcode.ATOMIC_FETCH_AND_ADD, region, 0)
            .atomic(0, region.rkey(), 5, 0)
            .sge(loop.region, 0, 8);
        assertEquals(WcStatus.SUCCESS, loop.status());
        assertEquals(5L * i, loop.memory.get(ValueLayout.JAVA_LONG, 0));
      }
    }
  }

  @Test
  @Tag("ibv_reg_dm_mr")
  void nobodyLooksBesideARegionOfIt(Context context) {
    LoopedPair loop = new LoopedPair(context);
    DeviceMemory dm = context.allocDm(256, 3);
    MemoryRegion region = loop.pd.registerDeviceMemory(dm, 64, 128, ZERO_BASED);
    refused(Errno.EBUSY, dm::close);
    refused(Errno.EINVAL, () -> loop.pd.registerDeviceMemory(dm, 0, 8, LoopedPair.ALL));
    refused(Errno.EINVAL, () -> loop.pd.registerDeviceMemory(dm, 0, 0, ZERO_BASED));
    refused(Errno.EINVAL, () -> loop.pd.registerDeviceMemory(dm, 249, 8, ZERO_BASED));
    refused(Errno.EINVAL, () -> loop.pd.registerDeviceMemory(dm, -1, 8, ZERO_BASED));
    refused(Errno.EINVAL, () -> region.reregister(null, LoopedPair.ALL));
    loop.request(WrOpcode.RDMA_WRITE, region, 121).sge(loop.region, 0, 8);
    assertEquals(WcStatus.WR_FLUSH_ERR, loop.status()); // its peer is itself and fails first
    assertEquals("\0".repeat(256), text(dm, 0, 256));
    region.close();
    dm.close();
    refused(Errno.EINVAL, () -> dm.copyTo(0, text("x")));
    refused(Errno.EINVAL, () -> loop.pd.registerDeviceMemory(dm, 0, 8, ZERO_BASED));
  }

  @Test
  @Tag("ibv_alloc_null_mr")
  void aNullRegionTakesBytesNowhereAndGivesZeros(Context context) {
    LoopedPair loop = new LoopedPair(context);
    MemoryRegion nothing = loop.pd.allocNullMr();
    loop.memory.setString(0, "skip|take");
    RecvRequestList receive = new RecvRequestList(Arena.ofAuto(), 1, 2).add();
    receive.sge(1L << 40, 5, nothing.lkey()).sge(loop.region, 4096, 64);
    loop.sendInto(receive, 0, 9);
    assertEquals("take", loop.memory.getString(4096));
    loop.memory.asSlice(100, 8).fill((byte) 7);
    loop.request(WrOpcode.RDMA_WRITE, loop.region, 100)
        .sge(-4, 4, nothing.lkey()) // the end of the address space
        .sge(loop.region, 5, 4);
    assertEquals(WcStatus.SUCCESS, loop.status());
    assertEquals(0, loop.memory.get(ValueLayout.JAVA_INT, 100));
    assertEquals("take", loop.memory.getString(104).substring(0, 4));
    nothing.close();
  }

  @Test
  @Tag("ibv_alloc_null_mr")
  void aNullRegionHasNoRemoteKey(Context context) {
    LoopedPair loop = new LoopedPair(context);
    MemoryRegion nothing = loop.pd.allocNullMr();
    assertEquals(0, nothing.rkey());
    loop.request(WrOpcode.RDMA_READ, loop.region, 0)
        .remote(0, nothing.lkey())
        .sge(loop.region, 0, 8);
    assertEquals(WcStatus.WR_FLUSH_ERR, loop.status()); // its peer is itself and fails first
    refused(Errno.EBUSY, loop.pd::close);
  }
}
