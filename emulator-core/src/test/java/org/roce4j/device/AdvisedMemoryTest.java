package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Advice;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.VerbsException;

/** Advice on memory that is paged on demand, and the rights that memory of the device can have. */
class AdvisedMemoryTest {
  private static final int PAGE = 4096;
  private static final int PAGED = AccessFlags.ON_DEMAND;

  @AutoClose private final Rig rig = new Rig();
  private final Arena own = Arena.ofShared();
  private final MemorySegment memory = own.allocate(PAGE, PAGE);

  private void advise(Advice advice, MemoryRegion region, long offset, int length) {
    Sge piece = new Sge(region.iova() + offset, length, region.lkey());
    rig.pd.adviseMr(advice, 0, List.of(piece));
  }

  private void refused(Errno errno, Advice advice, MemoryRegion region, long offset, int length) {
    VerbsException e =
        assertThrows(VerbsException.class, () -> advise(advice, region, offset, length));
    assertEquals(errno, e.errno(), e::getMessage);
  }

  @ParameterizedTest
  @EnumSource
  void isTakenOfEveryByteOfTheRegionAndOfNoOther(Advice advice) {
    long iova = memory.address() + 16 * PAGE;
    MemoryRegion region = rig.pd.registerMemory(memory, iova, PAGED | AccessFlags.LOCAL_WRITE);
    advise(advice, region, 0, PAGE);
    advise(advice, region, PAGE - 1, 1);
    refused(Errno.EFAULT, advice, region, PAGE - 1, 2);
    refused(Errno.EFAULT, advice, region, -1, 2);
    refused(Errno.EFAULT, advice, region, 0, -1);
    own.close();
  }

  @ParameterizedTest
  @EnumSource
  void ofAWriterNeedsTheRightToWrite(Advice advice) {
    MemoryRegion region = rig.pd.registerMemory(memory, PAGED);
    if (advice == Advice.PREFETCH_WRITE) {
      refused(Errno.EFAULT, advice, region, 0, 8);
    } else {
      advise(advice, region, 0, 8);
    }
    own.close();
  }

  @ParameterizedTest
  @EnumSource
  void onPagesThatAreThereAnywayIsRefused(Advice advice) {
    MemoryRegion region = rig.pd.registerMemory(memory, AccessFlags.LOCAL_WRITE);
    refused(Errno.EINVAL, advice, region, 0, 8);
    own.close();
  }

  @ParameterizedTest
  @EnumSource
  void onMemoryThatIsGoneIsAFaultUnlessNoneIsWanted(Advice advice) {
    MemoryRegion region = rig.pd.registerMemory(memory, PAGED | AccessFlags.LOCAL_WRITE);
    own.close();
    if (advice == Advice.PREFETCH_NO_FAULT) {
      advise(advice, region, 0, 8);
    } else {
      refused(Errno.EFAULT, advice, region, 0, 8);
    }
  }

  /** Bit by bit; a right to write from afar comes with the local one. */
  @Test
  void memoryOfTheDeviceHasRightsButNoPagesOrWindows() {
    DeviceMemory dm = rig.context.allocDm(64, 0);
    int offered =
        AccessFlags.LOCAL_WRITE
            | AccessFlags.REMOTE_WRITE
            | AccessFlags.REMOTE_READ
            | AccessFlags.REMOTE_ATOMIC
            | AccessFlags.OPTIONAL_RANGE;
    int least = AccessFlags.ZERO_BASED | AccessFlags.LOCAL_WRITE;
    for (int bit = 0; bit < Integer.SIZE; bit++) {
      int flags = least | 1 << bit;
      if ((flags & ~least & ~offered) == 0) {
        assertDoesNotThrow(
            () -> rig.pd.registerDeviceMemory(dm, 0, 64, flags).close(),
            () -> AccessFlags.toString(flags));
      } else {
        VerbsException e =
            assertThrows(VerbsException.class, () -> rig.pd.registerDeviceMemory(dm, 0, 64, flags));
        assertEquals(Errno.EINVAL, e.errno(), () -> AccessFlags.toString(flags));
      }
    }
    own.close();
  }
}
