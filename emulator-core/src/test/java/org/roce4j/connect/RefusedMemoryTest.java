package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.device.Refusals;
import org.roce4j.verbs.Errno;

/**
 * A call refuses memory that it cannot read or fill before it sends anything to the peer. A message
 * that has arrived can still be received, and the connection remains usable.
 */
@Timeout(60)
class RefusedMemoryTest extends ConnectRig {
  private static final byte[] MESSAGE = {1, 2, 3, 4};

  /** A call that takes memory from the program. */
  enum Call {
    SEND {
      @Override
      void with(RcPair pair, RemoteBuffer remote, MemorySegment memory) {
        pair.client().send(memory);
      }
    },
    SEND_OF_A_BUFFER {
      @Override
      void with(RcPair pair, RemoteBuffer remote, MemorySegment memory) {
        pair.client().send(memory.asByteBuffer());
      }
    },
    RECEIVE {
      @Override
      void with(RcPair pair, RemoteBuffer remote, MemorySegment memory) {
        pair.server().receive(memory);
      }
    },
    RECEIVE_IN_TIME {
      @Override
      void with(RcPair pair, RemoteBuffer remote, MemorySegment memory) {
        pair.server().receive(memory, Duration.ofSeconds(1));
      }
    },
    WRITE {
      @Override
      void with(RcPair pair, RemoteBuffer remote, MemorySegment memory) {
        pair.client().write(remote, 0, memory);
      }
    },
    READ {
      @Override
      void with(RcPair pair, RemoteBuffer remote, MemorySegment memory) {
        pair.client().read(remote, 0, memory);
      }
    };

    abstract void with(RcPair pair, RemoteBuffer remote, MemorySegment memory);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_OF_A_BUFFER")
  void memoryThatWasFreed(Call call) {
    Arena arena = Arena.ofConfined();
    MemorySegment memory = arena.allocate(8);
    arena.close();
    refused(call, memory);
  }

  @ParameterizedTest
  @EnumSource
  void memoryOfAnotherThread(Call call) {
    CompletableFuture<MemorySegment> others = new CompletableFuture<>();
    Thread.ofPlatform().start(() -> others.complete(Arena.ofConfined().allocate(8)));
    refused(call, others.join());
  }

  private void refused(Call call, MemorySegment memory) {
    RemoteBuffer remote = pair.server().expose(64).key();
    pair.client().send(MESSAGE);
    Refusals.refused(Errno.EFAULT, () -> call.with(pair, remote, memory));
    assertArrayEquals(MESSAGE, pair.server().receive().bytes());
    Refusals.refused(Errno.ETIMEDOUT, () -> pair.server().receive(Duration.ofMillis(1)));
    pair.client().send("stands");
    assertEquals("stands", pair.server().receiveString());
  }

  @Test
  void memoryThatIsJustLongEnough() {
    pair.client().send(MESSAGE);
    MemorySegment exact = MemorySegment.ofArray(new byte[MESSAGE.length]);
    assertEquals(MESSAGE.length, pair.server().receive(exact));
    pair.client().send(MESSAGE);
    ByteBuffer rest = ByteBuffer.allocate(6).position(2);
    assertEquals(MESSAGE.length, pair.server().receive(rest));
    assertEquals(0, rest.remaining());
    pair.client().send(MESSAGE);
    Refusals.refused(
        Errno.EMSGSIZE, () -> pair.server().receive(exact.asSlice(0, MESSAGE.length - 1L)));
    assertArrayEquals(MESSAGE, pair.server().receive().bytes());
  }

  @Test
  void negativeNumbers() {
    RemoteBuffer remote = pair.server().expose(64).key();
    Duration negative = Duration.ofSeconds(-1);
    pair.client().send(MESSAGE);
    Refusals.refused(Errno.EINVAL, () -> pair.server().receive(negative));
    List<Executable> calls =
        List.of(
            () -> pair.client().expose(-1),
            () -> pair.client().read(remote, 0, -1),
            () -> pair.client().receive(negative),
            () -> pair.client().receiveString(negative),
            () -> pair.client().receive(MemorySegment.ofArray(new byte[8]), negative),
            () -> pair.client().receive(ByteBuffer.allocate(8), negative));
    for (Executable call : calls) {
      assertTrue(
          Refusals.refused(Errno.EINVAL, call).remedy().contains("0 or more"),
          "call " + calls.indexOf(call));
    }
  }

  /** The region begins at an odd address, so offset 8 is not a multiple of eight. */
  @ParameterizedTest
  @EnumSource(AtomicCall.class)
  void atomicsAwayFromAMultipleOfEight(AtomicCall call) {
    RemoteBuffer whole = pair.server().expose(64).key();
    for (int odd = 1; odd < 8; odd++) {
      RemoteBuffer shifted = new RemoteBuffer(whole.address() + odd, whole.rkey(), 56);
      notAligned(8, () -> call.at(pair, shifted, 8));
      int offset = odd;
      notAligned(odd, () -> call.at(pair, whole, offset));
      assertEquals(0, call.at(pair, shifted, 8 - odd));
    }
    assertEquals(0, call.at(pair, whole, 56));
    Refusals.refused(Errno.ERANGE, () -> call.at(pair, whole, 64));
    Refusals.refused(Errno.ERANGE, () -> call.at(pair, whole, -8));
  }

  private static void notAligned(int offset, Executable call) {
    assertEquals(
        "offset " + offset + " is not aligned: an atomic needs a multiple of 8",
        Refusals.refused(Errno.EINVAL, call).remedy());
  }

  /** An atomic operation that leaves its 64-bit number unchanged. */
  enum AtomicCall {
    ADD {
      @Override
      long at(RcPair pair, RemoteBuffer remote, long offset) {
        return pair.client().fetchAndAdd(remote, offset, 0);
      }
    },
    SWAP {
      @Override
      long at(RcPair pair, RemoteBuffer remote, long offset) {
        return pair.client().compareAndSwap(remote, offset, 1, 2);
      }
    };

    abstract long at(RcPair pair, RemoteBuffer remote, long offset);
  }
}
