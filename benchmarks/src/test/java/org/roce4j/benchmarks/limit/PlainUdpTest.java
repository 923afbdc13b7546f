package org.roce4j.benchmarks.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.DatagramSocket;
import java.net.SocketException;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;

@EnabledOnOs(OS.LINUX)
class PlainUdpTest {
  private static final Gid LEFT = Gid.parse("127.0.0.1");
  private static final Gid RIGHT = Gid.parse("127.0.0.2");
  private static final int SEGMENT = 1000;

  @ParameterizedTest
  @ValueSource(ints = {1, 10})
  void aTrainArrivesWholeAndInOrder(int segments) throws SocketException {
    int port = freePort();
    try (Arena arena = Arena.ofConfined();
        PlainUdp left = new PlainUdp(LEFT, RIGHT, port, SEGMENT, 0);
        PlainUdp right = new PlainUdp(RIGHT, LEFT, port, SEGMENT, 30_000_000_000L)) {
      MemorySegment out = arena.allocate(1 << 16);
      MemorySegment in = arena.allocate(1 << 16);
      for (int i = 0; i < segments * SEGMENT; i++) {
        out.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31));
      }
      assertEquals(segments * SEGMENT, left.send(out, segments * SEGMENT));
      int taken = 0;
      while (taken < segments * SEGMENT) {
        int length = right.receive(in);
        assertTrue(length > 0, () -> "errno " + -length);
        assertEquals(-1, in.asSlice(0, length).mismatch(out.asSlice(taken, length)));
        taken += length;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 5_000_000})
  void nothingToReceiveIsNoFailure(long waitNs) throws SocketException {
    try (Arena arena = Arena.ofConfined();
        PlainUdp alone = new PlainUdp(LEFT, RIGHT, freePort(), 0, waitNs)) {
      assertEquals(-Errno.EAGAIN.number(), alone.receive(arena.allocate(100)));
    }
  }

  private static int freePort() throws SocketException {
    try (DatagramSocket probe = new DatagramSocket(0)) {
      return probe.getLocalPort();
    }
  }
}
