package org.roce4j.engine.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.AccessFlags;

/**
 * A region over a truncated file: an access fails and reports this at once, in interpreted and in
 * compiled code.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "elsewhere a mapped file cannot be truncated")
class TruncatedFileTest {
  private static final int LENGTH = 1 << 16;
  private static final int RIGHTS =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_ATOMIC
          | AccessFlags.FLUSH_GLOBAL
          | AccessFlags.FLUSH_PERSISTENT;

  private final Domain domain = new Domain();
  private final KeyTable keys = new KeyTable(new SplittableRandom(1), 10, 10);
  private final RemoteRange range = new RemoteRange(keys, new Accessor(domain));
  private final MemorySegment packet = Arena.ofAuto().allocate(4096, 8);

  @TempDir private Path directory;

  private enum Access {
    READ_8,
    READ_4096,
    WRITE_8,
    WRITE_4096,
    COMPARE_SWAP,
    FETCH_ADD,
    STORE;

    boolean by(RemoteRange range, MemorySegment packet, int offset) {
      return switch (this) {
        case READ_8 -> range.read(offset, packet, 0, 8);
        case READ_4096 -> range.read(offset, packet, 0, 4096);
        case WRITE_8 -> range.write(offset, packet, 0, 8);
        case WRITE_4096 -> range.write(offset, packet, 0, 4096);
        case COMPARE_SWAP -> range.compareSwap(0, 1);
        case FETCH_ADD -> range.fetchAdd(1);
        case STORE -> range.storeFrom(packet, 0);
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAccessFailsWhenTheCodeIsYoung(Access access) throws IOException {
    failsAfterTruncation(access, 1);
  }

  @ParameterizedTest
  @EnumSource
  void anAccessFailsWhenTheCodeIsCompiled(Access access) throws IOException {
    failsAfterTruncation(access, 30_000);
  }

  /** The range need not begin at a page. */
  @ParameterizedTest
  @CsvSource({
    "0, 4096, true",
    "0, 4097, false",
    "4000, 96, true",
    "4000, 97, false",
    "4095, 1, true",
    "4096, 1, false",
    "4096, 0, true",
    "100, 12000, false"
  })
  void adviceReadsEachPageOfTheRange(long offset, long bytes, boolean there) throws IOException {
    try (Arena arena = Arena.ofShared();
        FileChannel file = file()) {
      MemorySegment memory = file.map(MapMode.READ_WRITE, 0, LENGTH, arena);
      Region region = keys.register(domain, memory, 0, RIGHTS);
      file.truncate(4096);
      assertEquals(there, KeyTable.touch(region, offset, bytes));
    }
  }

  /** Memory that is not of a file is persistent as it is. */
  @Test
  void aRegionThatMovesIsOfTheMemoryItIsOfNow() throws IOException {
    try (Arena arena = Arena.ofShared();
        FileChannel file = file()) {
      MemorySegment mapped = file.map(MapMode.READ_WRITE, 0, LENGTH, arena);
      Region region = keys.register(domain, mapped, 0, RIGHTS);
      for (MemorySegment next : List.of(mapped, packet, mapped)) {
        region.move(next, 0);
        assertEquals(next.isMapped(), region.mapped());
        assertEquals(next.byteSize(), region.length());
        assertTrue(RegisteredBytes.force(region, 0, 8));
      }
    }
  }

  /**
   * Of two pages that were written, those of the range are on the storage. The kernel may write any
   * page earlier, and some file systems have no storage.
   */
  @ParameterizedTest
  @CsvSource({"0, 8, 1", "4096, 1, 1", "4088, 16, 0", "4000, 96, 1", "0, 8192, 0"})
  void whatIsFlushedToStayIsOnTheStorage(long va, long bytes, int left) throws IOException {
    try (Arena arena = Arena.ofShared();
        FileChannel file = file()) {
      MemorySegment memory = file.map(MapMode.READ_WRITE, 0, LENGTH, arena);
      Region region = keys.register(domain, memory, 0, RIGHTS);
      assumeTrue(dirtied(memory) == 2, "a file system that writes at once");
      memory.force();
      assumeTrue(dirtyPages() == 0, "a file system without storage");
      dirtied(memory);
      assertTrue(range.set(region.value(), va, bytes, AccessFlags.FLUSH_PERSISTENT));
      assertTrue(range.flush());
      assertTrue(dirtyPages() <= left, () -> "at %d, %d bytes".formatted(va, bytes));
    }
  }

  private int dirtied(MemorySegment memory) throws IOException {
    memory.asSlice(0, 8192).fill((byte) 1);
    return dirtyPages();
  }

  /** Pages of the mapped file that this process has written and the kernel has not. */
  private int dirtyPages() throws IOException {
    int kilobytes = 0;
    boolean ours = false;
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
      if (!Character.isUpperCase(line.charAt(0))) { // a mapping, whose figures follow
        ours = line.endsWith(directory.resolve("memory").toString());
      } else if (ours && line.matches("(Shared|Private)_Dirty.*")) {
        kilobytes += Integer.parseInt(line.replaceAll("\\D", ""));
      }
    }
    return kilobytes / 4;
  }

  private FileChannel file() throws IOException {
    return FileChannel.open(
        directory.resolve("memory"),
        StandardOpenOption.CREATE,
        StandardOpenOption.READ,
        StandardOpenOption.WRITE);
  }

  private void failsAfterTruncation(Access access, int before) throws IOException {
    try (Arena arena = Arena.ofShared();
        FileChannel file = file()) {
      MemorySegment memory = file.map(MapMode.READ_WRITE, 0, LENGTH, arena);
      Region region = keys.register(domain, memory, 0, RIGHTS);
      assertTrue(range.set(region.value(), 0, LENGTH, 0));
      assertEquals(before, successes(access, before));
      file.truncate(0);
      assertEquals(0, successes(access, 1000));
      file.truncate(0).write(packet.asByteBuffer(), LENGTH - 4096);
      assertTrue(access.by(range, packet, 0), "the file is as long as before");
      keys.remove(region);
      assertFalse(access.by(range, packet, 0));
    }
  }

  private int successes(Access access, int times) {
    int good = 0;
    for (int i = 0; i < times; i++) {
      good += access.by(range, packet, (i & 7) * 8) ? 1 : 0;
    }
    return good;
  }
}
