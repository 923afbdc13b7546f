package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class MemoryWindowTest {
  @Test
  void theNextKeyStaysWithinTheLowByte() {
    assertEquals(0x12345600, MemoryWindow.incrementRkey(0x123456ff));
    assertEquals(0x12345601, MemoryWindow.incrementRkey(0x12345600));
  }
}
