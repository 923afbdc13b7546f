package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Sge;

/** A buffer of the helpers that post is a piece of a region, where the region's key finds it. */
class PostedBuffersTest {
  static final long IOVA = 0x7000_0000L;
  static final int LKEY = 0x1234;

  @AutoClose private final Arena arena = Arena.ofConfined();
  private final MemorySegment memory = arena.allocate(96, 64);
  private final MemorySegment registered = memory.asSlice(32, 32);
  private final MemoryRegion mr = region(registered);

  static MemoryRegion region(MemorySegment of) {
    Map<String, Object> answers =
        Map.of(
            "memory", of,
            "address", of.address(),
            "length", of.byteSize(),
            "iova", IOVA,
            "lkey", LKEY);
    return (MemoryRegion)
        Proxy.newProxyInstance(
            PostedBuffersTest.class.getClassLoader(),
            new Class<?>[] {MemoryRegion.class},
            (self, method, args) -> answers.get(method.getName()));
  }

  @ParameterizedTest
  @CsvSource({"0, 32", "0, 31", "1, 31", "31, 1", "32, 0", "0, 0"})
  void piecesOfTheRegion(int offset, int length) {
    MemorySegment piece = registered.asSlice(offset, length);
    assertEquals(new Sge(IOVA + offset, length, LKEY), Postings.element(piece, mr, false));
    assertEquals(new Sge(piece.address(), length, LKEY), Postings.element(piece, mr, true));
    assertEquals(new Sge(piece.address(), length, 0), Postings.element(piece, null, true));
  }

  @ParameterizedTest
  @CsvSource({"-1, 1", "-1, 33", "-32, 32", "0, 33", "1, 32", "32, 1", "33, 0"})
  void whatLeavesTheRegion(int offset, int length) {
    MemorySegment buffer = memory.asSlice(32 + offset, length);
    String told = refused(Errno.EINVAL, () -> Postings.element(buffer, mr, false)).remedy();
    assertTrue(told.startsWith("buffer, " + length + " bytes at 0x"), told);
    assertTrue(told.contains("is no piece of mr, 32 bytes at 0x"), told);
  }

  /** Such a region does not know where its bytes are in this process. */
  @Test
  void regionOfNoMemoryOfThisProcess() {
    assertEquals(
        new Sge(registered.address(), 32, LKEY),
        Postings.element(registered, region(MemorySegment.NULL), false));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void onlyNothingAndInlineDataNeedNoRegion(boolean inline) {
    MemorySegment none = registered.asSlice(3, 0);
    assertEquals(new Sge(none.address(), 0, 0), Postings.element(none, null, inline));
    refused(Errno.EINVAL, () -> Postings.element(registered, null, false));
    refused(Errno.EINVAL, () -> Postings.element(MemorySegment.ofArray(new byte[8]), mr, inline));
    MemorySegment huge = MemorySegment.ofAddress(64).reinterpret(1L << 31);
    refused(Errno.EINVAL, () -> Postings.element(huge, mr, inline));
    refused(Errno.EINVAL, () -> Postings.element(null, mr, inline));
    MemorySegment longest = MemorySegment.ofAddress(64).reinterpret(Integer.MAX_VALUE);
    assertEquals(new Sge(64, Integer.MAX_VALUE, LKEY), Postings.element(longest, mr, true));
    Arena closed = Arena.ofConfined();
    MemorySegment freed = closed.allocate(8);
    closed.close();
    refused(Errno.EFAULT, () -> Postings.element(freed, mr, inline));
  }

  @Test
  void elementsThatAreMissing() {
    Sge present = new Sge(1, 2, 3);
    Postings.checkPresent();
    Postings.checkPresent(present, present);
    for (int missing = 0; missing < 3; missing++) {
      Sge[] elements = {present, present, present};
      elements[missing] = null;
      String told = refused(Errno.EINVAL, () -> Postings.checkPresent(elements)).remedy();
      assertTrue(told.startsWith("elements[" + missing + "]"), told);
    }
    refused(Errno.EINVAL, () -> Postings.checkPresent((Sge[]) null));
  }
}
