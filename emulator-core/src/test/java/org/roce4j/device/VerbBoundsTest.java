package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.WorkCompletions;

/** The last value in range, and the first out of range. */
class VerbBoundsTest {
  private static final int PAGE = 4096;

  private final Rig rig = new Rig();

  @AfterEach
  void close() {
    rig.close();
  }

  /** Each bit of the offset in the page counts. */
  @Test
  void addressAndIovaAgreeInTheirOffsetInThePage() {
    long iova = rig.memory.address() + 16 * PAGE;
    for (int bit = 1; bit < PAGE; bit <<= 1) {
      long other = iova ^ bit;
      refused(Errno.EINVAL, () -> rig.pd.registerMemory(rig.memory, other, 0));
    }
    rig.pd.registerMemory(rig.memory, iova ^ PAGE, 0).close();
  }

  @Test
  void pollingTellsWhetherTheQueueIsThere() {
    CompletionQueue cq = rig.context.createCq(4);
    MemorySegment view = new WorkCompletions(rig.arena, 1).memory();
    assertEquals(0, cq.poll(view, view.address(), 0));
    assertEquals(0, cq.poll(view, view.address(), 1));
    assertEquals(-Errno.EINVAL.number(), cq.poll(view, view.address(), -1));
    cq.close();
    assertEquals(-Errno.EINVAL.number(), cq.poll(view, view.address(), 0));
    assertEquals(-Errno.EINVAL.number(), cq.poll(view, view.address(), 1));
  }

  @Test
  void deviceMemoryIsCopiedToTheLastByteAndNoFurther() {
    DeviceMemory dm = rig.context.allocDm(64, 0);
    dm.copyTo(0, rig.memory.asSlice(0, 64));
    dm.copyFrom(rig.memory.asSlice(0, 1), 63);
    refused(Errno.EFAULT, () -> dm.copyFrom(rig.memory.asSlice(0, 2), 63));
    refused(Errno.EFAULT, () -> dm.copyTo(64, rig.memory.asSlice(0, 1)));
    refused(Errno.EFAULT, () -> dm.copyTo(-1, rig.memory.asSlice(0, 1)));
    refused(Errno.EFAULT, () -> dm.copyFrom(rig.memory.asSlice(0, 8).asReadOnly(), 0));
    dm.copyTo(0, rig.memory.asSlice(0, 8).asReadOnly());
  }
}
