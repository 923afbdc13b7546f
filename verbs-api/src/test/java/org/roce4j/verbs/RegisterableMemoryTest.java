package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegisterableMemoryTest {
  private static final int ALL_RIGHTS =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC
          | AccessFlags.MW_BIND;

  @Test
  void sharedMemoryTakesAllRights() {
    try (Arena arena = Arena.ofShared()) {
      RegisterableMemory.check(arena.allocate(64), ALL_RIGHTS);
    }
    RegisterableMemory.check(Arena.global().allocate(64), ALL_RIGHTS);
    RegisterableMemory.check(Arena.ofAuto().allocate(64), ALL_RIGHTS);
  }

  @Test
  void mappedFileTakesAllRights(@TempDir Path folder) throws IOException {
    try (Arena arena = Arena.ofShared();
        FileChannel file =
            FileChannel.open(
                folder.resolve("memory"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, 64, arena);
      RegisterableMemory.check(mapped, ALL_RIGHTS);
    }
  }

  @Test
  void shouldRefuseHeapMemory() {
    refused(Errno.EINVAL, "Arena.ofShared().allocate", MemorySegment.ofArray(new byte[64]), 0);
  }

  @Test
  void shouldRefuseMemoryOfOneThread() {
    try (Arena arena = Arena.ofConfined()) {
      refused(Errno.EINVAL, "use Arena.ofShared()", arena.allocate(64), 0);
    }
  }

  @Test
  void shouldRefuseFreedMemory() {
    MemorySegment freed;
    try (Arena arena = Arena.ofShared()) {
      freed = arena.allocate(64);
    }
    refused(Errno.EINVAL, "freed", freed, 0);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        AccessFlags.LOCAL_WRITE,
        AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE,
        AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC
      })
  void shouldRefuseToWriteReadOnlyMemory(int flags) {
    MemorySegment readOnly = Arena.ofAuto().allocate(64).asReadOnly();
    refused(Errno.EFAULT, "read-only", readOnly, flags);
  }

  @Test
  void readOnlyMemoryMayBeRead() {
    MemorySegment readOnly = Arena.ofAuto().allocate(64).asReadOnly();
    RegisterableMemory.check(readOnly, AccessFlags.REMOTE_READ | AccessFlags.MW_BIND);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        AccessFlags.REMOTE_WRITE,
        AccessFlags.REMOTE_ATOMIC,
        AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ
      })
  void shouldRefuseRemoteWritingWithoutLocalWriting(int flags) {
    refused(Errno.EINVAL, "need LOCAL_WRITE", Arena.ofAuto().allocate(64), flags);
  }

  @Test
  void shouldLeaveOnDemandPagingToTheDevice() {
    RegisterableMemory.check(Arena.ofAuto().allocate(64), AccessFlags.ON_DEMAND);
  }

  @Property(tries = 64)
  void shouldRefuseUnknownBitsUnlessOptional(@ForAll @IntRange(max = 31) int bit) {
    int flag = 1 << bit;
    boolean known = bit < 10;
    boolean optional = (flag & AccessFlags.OPTIONAL_RANGE) != 0;
    if (known || optional) {
      assertDoesNotThrow(() -> RegisterableMemory.checkAccess(flag | AccessFlags.LOCAL_WRITE));
    } else {
      VerbsException refusal =
          assertThrows(VerbsException.class, () -> RegisterableMemory.checkAccess(flag));
      assertEquals(Errno.EINVAL, refusal.errno());
    }
  }

  private static void refused(Errno errno, String remedy, MemorySegment memory, int flags) {
    VerbsException refusal =
        assertThrows(VerbsException.class, () -> RegisterableMemory.check(memory, flags));
    assertEquals(errno, refusal.errno());
    assertTrue(refusal.remedy().contains(remedy), refusal.remedy());
  }
}
