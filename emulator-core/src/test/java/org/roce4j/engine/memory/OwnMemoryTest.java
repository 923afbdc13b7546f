package org.roce4j.engine.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.AccessFlags;

/** Memory of the device, memory of a null region, and a FLUSH of either. */
class OwnMemoryTest {
  @AutoClose private final Arena arena = Arena.ofConfined();
  private final OwnMemory own = new OwnMemory(64, 8);
  private final MemorySegment bytes = arena.allocate(16);
  private final Domain domain = new Domain();
  private final KeyTable keys = new KeyTable(new SplittableRandom(1), 100, 100);
  private final RemoteRange range = new RemoteRange(keys, new Accessor(domain));

  @Test
  void keepsWhatIsCopiedInWhereItWasCopied() {
    bytes.fill((byte) 5);
    assertEquals(64, own.length());
    assertTrue(own.copyIn(48, bytes));
    assertEquals(16, own.part(40, 16).byteSize());
    assertEquals(0, own.part(40, 16).get(ValueLayout.JAVA_BYTE, 7));
    assertEquals(5, own.part(40, 16).get(ValueLayout.JAVA_BYTE, 8));
    MemorySegment out = arena.allocate(2);
    assertTrue(own.copyOut(out, 47));
    assertEquals(0x0500, out.get(ValueLayout.JAVA_SHORT, 0));
  }

  @Test
  void holdsItsBytesAlone() {
    assertTrue(own.holds(0, 64));
    assertTrue(own.holds(63, 1));
    assertFalse(own.holds(63, 2));
    assertFalse(own.holds(-1, 1));
  }

  @Test
  void copiesNothingOnceItIsFreed() {
    own.free();
    assertFalse(own.copyIn(0, bytes));
    assertFalse(own.copyOut(bytes, 0));
    assertFalse(new OwnMemory(64, 8).copyOut(bytes.asReadOnly(), 0));
  }

  @Test
  void memoryThatIsNoneReadsAsZerosAndTakesAnything() {
    Region none = keys.registerNothing(domain);
    bytes.fill((byte) 5);
    assertTrue(RegisteredBytes.write(none, 0, bytes, 0, 16));
    assertTrue(RegisteredBytes.read(none, 0, bytes, 4, 8));
    assertEquals(5, bytes.get(ValueLayout.JAVA_BYTE, 3));
    assertEquals(0, bytes.get(ValueLayout.JAVA_BYTE, 4));
    assertEquals(5, bytes.get(ValueLayout.JAVA_BYTE, 12));
  }

  @Test
  void memoryThatIsNoneHasEveryAddressToTheLast() {
    long[] list = new long[ScatterGather.ENTRY_LONGS];
    ScatterGather.set(list, 0, -8, 8, keys.registerNothing(domain).value());
    LocalCursor cursor = new LocalCursor(keys, new Accessor(domain));
    cursor.open(list, 0, 1);
    assertTrue(cursor.gather(bytes, 0, 8));
  }

  @Test
  void theProgramsOwnBytesAreFoundByTheirRealAddress() {
    Region region = keys.register(domain, bytes, 0x1000, 0);
    long first = bytes.address();
    assertEquals(region, keys.holding(region.value(), first, 16));
    assertEquals(null, keys.holding(region.value(), first + 1, 16));
    assertEquals(null, keys.holding(region.value() + 1, first, 16));
    bytes.set(ValueLayout.JAVA_BYTE, 9, (byte) 7);
    MemorySegment to = arena.allocate(4);
    assertTrue(KeyTable.copyOut(region, first + 9, 1, to, 3));
    assertEquals(7, to.get(ValueLayout.JAVA_BYTE, 3));
    try (Arena closes = Arena.ofConfined()) {
      region = keys.register(domain, closes.allocate(16), 0x1000, 0);
    }
    assertFalse(KeyTable.copyOut(region, region.memory().address(), 1, to, 3));
    assertFalse(KeyTable.touch(region, 0, 16));
  }

  @Test
  void theBytesThatEndWithAPageAreTouchedAndNoneBehindThem() {
    for (long pages = 1; pages <= 2; pages++) {
      MemorySegment whole = arena.allocate(pages * 4096);
      assertTrue(KeyTable.touch(keys.register(domain, whole, 0, 0), 0, pages * 4096));
    }
  }

  @Test
  void noByteIsTouchedOfARangeOfNone() {
    assertTrue(KeyTable.touch(keys.register(domain, bytes, 0, 0), 0, 0));
  }

  @Test
  void aFlushChecksItsKeyWhenItIsCarriedOut() {
    int right = AccessFlags.FLUSH_GLOBAL;
    Region region = keys.register(domain, bytes, 0x1000, right);
    assertTrue(range.setFlush(region.value(), 0x1008, 8, right, false));
    assertTrue(range.flush());
    assertFalse(range.setFlush(region.value(), 0x1009, 8, right, false));
    assertTrue(range.setFlush(region.value(), 77, 99, right, true), "address and length are void");
    assertTrue(range.flush());
    assertFalse(range.setFlush(region.value() + 1, 0, 0, right, true));
    Region plain = keys.register(domain, bytes, 0x1000, 0);
    assertFalse(range.setFlush(plain.value(), 0, 0, right, true), "it does not grant a FLUSH");
    assertTrue(range.setFlush(region.value() + 1, 0, 0, right, false), "no byte needs no key");
    assertTrue(range.flush());
    assertTrue(range.setFlush(region.value(), 0x1000, 16, right, false));
    keys.remove(region);
    assertFalse(range.flush(), "the key died in between");
  }

  @Test
  void memoryOfTheProcessIsAsLastingAsItGets() {
    int both = AccessFlags.FLUSH_GLOBAL | AccessFlags.FLUSH_PERSISTENT;
    Region region = keys.register(domain, bytes, 0x1000, both);
    assertTrue(range.set(region.value(), 0x1000, 16, both));
    assertTrue(range.flush());
  }

  @Test
  void noByteIsReadOrWrittenWithoutAKey() {
    assertTrue(range.set(7, 0x1000, 0, AccessFlags.REMOTE_WRITE));
    assertTrue(range.write(0, bytes, 0, 0));
    assertTrue(range.read(0, bytes, 0, 0));
    assertFalse(range.read(0, bytes, 0, 1));
  }

  @Test
  void onlyAFlushToStorageNeedsTheFile() throws IOException {
    Path file = Files.createTempFile("flush", null);
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE)) {
      Arena mapping = Arena.ofShared();
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 4096, mapping);
      int both = AccessFlags.FLUSH_GLOBAL | AccessFlags.FLUSH_PERSISTENT;
      Region region = keys.register(domain, mapped, 0, both);
      assertTrue(range.set(region.value(), 0, 4096, both));
      assertTrue(range.flush());
      mapping.close();
      assertFalse(range.flush());
      assertTrue(range.set(region.value(), 0, 4096, AccessFlags.FLUSH_GLOBAL));
      assertTrue(range.flush());
    }
  }
}
