package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.verbs.Refusals.refused;

import org.junit.jupiter.api.Test;

class MemoryWindowTest {
  @Test
  void theNextKeyStaysWithinTheLowByte() {
    assertEquals(0x12345600, MemoryWindow.incrementRkey(0x123456ff));
    assertEquals(0x12345601, MemoryWindow.incrementRkey(0x12345600));
  }

  @Test
  void aWindowOfTypeOneNeedsARegionForAnAddressAndIsNotZeroBased() {
    refused(Errno.EINVAL, () -> WindowBinding.check(null, null, null, 1, 0, 0));
    refused(Errno.EINVAL, () -> WindowBinding.check(null, null, null, 0, 1, 0));
    refused(
        Errno.EINVAL, () -> WindowBinding.check(null, null, null, 0, 0, AccessFlags.ZERO_BASED));
  }
}
