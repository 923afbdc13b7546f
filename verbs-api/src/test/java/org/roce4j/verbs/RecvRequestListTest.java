package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.layout.RecvWrLayout;

class RecvRequestListTest {
  @AutoClose private final RecvRequestList list = new RecvRequestList(2, 1);

  @Property
  void requestsAreLinkedInOrderAndKeepWhatWasSet(
      @ForAll @IntRange(min = 1, max = 40) int capacity,
      @ForAll @IntRange(max = 4) int maxSge,
      @ForAll long seed) {
    try (Arena arena = Arena.ofShared()) {
      RecvRequestList requests = new RecvRequestList(arena, capacity, maxSge);
      for (int i = 0; i < capacity; i++) {
        requests.add().wrId(seed + i);
        for (int j = 0; j < maxSge; j++) {
          requests.sge(seed * i + j, i, j);
        }
      }
      MemorySegment memory = requests.memory();
      long at = requests.address();
      for (int i = 0; i < capacity; i++) {
        long offset = at - memory.address();
        assertEquals(seed + i, RecvWrLayout.wrId(memory, offset));
        assertEquals(seed + i, requests.wrIdAt(i));
        assertEquals(maxSge, requests.sgeCountAt(i));
        for (int j = 0; j < maxSge; j++) {
          assertEquals(seed * i + j, requests.sgeAddressAt(i, j));
          assertEquals(i, requests.sgeLengthAt(i, j));
          assertEquals(j, requests.sgeLkeyAt(i, j));
        }
        at = RecvWrLayout.next(memory, offset);
      }
      assertEquals(0, at);
      requests.close();
      assertTrue(memory.scope().isAlive());
    }
  }

  @Test
  void requestWithoutElementsIsLegal() {
    list.add().wrId(3);
    assertEquals(0, list.sgeCountAt(0));
    assertEquals(0, RecvWrLayout.sgList(list.memory(), 0));
  }

  @Test
  void shouldRefuseWhatDoesNotFit() {
    refused(Errno.EINVAL, () -> list.wrId(1));
    list.add().sge(1, 1, 1);
    refused(Errno.EINVAL, () -> list.sge(2, 2, 2));
    list.add();
    refused(Errno.ENOMEM, list::add);
    refused(Errno.EINVAL, () -> new RecvRequestList(0, 1));
  }

  @Test
  void clearedListIsEmptyAndUsable() {
    list.add().wrId(1).sge(1, 1, 1).add().badIndex(1);
    list.clear();
    assertEquals(0, list.size());
    assertEquals(0, list.address());
    assertEquals(-1, list.badIndex());
    list.add();
    assertEquals(0, list.wrIdAt(0));
    assertEquals(0, list.sgeCountAt(0));
    assertEquals(0, RecvWrLayout.next(list.memory(), 0));
  }
}
