package org.roce4j.benchmarks.limit;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A page that both processes have mapped, with each number on its own cache lines. Through it the
 * twin's receiver reports the packets that it has received without sending a packet.
 */
final class SharedPage {
  static final int BYTES = 4096;
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final long RECEIVED = 0;
  private static final long DAMAGED = 512;
  private static final long LOOKS = 1024;

  private final MemorySegment page;

  SharedPage(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      page = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, Arena.global());
    }
  }

  /** Packets that the twin's receiver has taken since the beginning. */
  long received() {
    return (long) LONG.getAcquire(page, RECEIVED);
  }

  /** How often the twin's receiver has found nothing since the beginning. */
  long looks() {
    return (long) LONG.getAcquire(page, LOOKS);
  }

  void countLook() {
    LONG.setRelease(page, LOOKS, looks() + 1);
  }

  void received(long packets) {
    LONG.setRelease(page, RECEIVED, packets);
  }

  /** Packets whose CRC was wrong. */
  long damaged() {
    return (long) LONG.getAcquire(page, DAMAGED);
  }

  void countDamaged() {
    LONG.setRelease(page, DAMAGED, damaged() + 1);
  }
}
