package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.junit.Connected;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Two connected ends in one process on one thread, on every port. */
class MessagesTest {
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final Duration LONGER = Duration.ofSeconds(2);

  /** A record to send. */
  private record Quote(String symbol, long price) {}

  @Nested
  @EmulatedRdma
  class OnTheFabric extends OnAnyPort {}

  @Nested
  @EmulatedRdma(faults = "loss=5% duplicate=2% reorder=5%")
  class OnTheFabricWithLoss extends OnAnyPort {
    /**
     * A responder refuses a request with one NAK. If that NAK is lost, the requester spends its
     * retries in vain.
     */
    @Override
    Set<WcStatus> refused() {
      return Set.of(WcStatus.REM_ACCESS_ERR, WcStatus.RETRY_EXC_ERR);
    }

    /** A lost RNR NAK counts as a retry, and a second holds many. */
    @Override
    void aReceiverThatIsBehindHoldsTheSenderUpAndLosesNothing(Context a, Context b) {}
  }

  @Nested
  @EmulatedRdma(transport = "linux")
  class OnPortLinux extends OnAnyPort {}

  @Nested
  @EmulatedRdma(transport = "netty")
  class OnPortNetty extends OnAnyPort {}

  @Timeout(60)
  abstract static class OnAnyPort {
    /** The statuses that a request without the right may end with. */
    Set<WcStatus> refused() {
      return Set.of(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void textGoesEitherWay(@Connected RcPair pair) {
      pair.client().send("hello");
      assertEquals("hello", pair.server().receiveString());
      pair.server().send("grüß Gott \uD83D\uDE42");
      assertEquals("grüß Gott \uD83D\uDE42", pair.client().receiveString());
    }

    @Test
    void messagesOfEveryLengthArriveInOrder(
        @Connected(messageBytes = 9000, depth = 3) RcPair pair) {
      for (int length : new int[] {0, 1, 63, 64, 4096, 4097, 9000}) {
        byte[] message = bytes(length);
        pair.client().send(message);
        pair.client().send(new byte[] {1, 2});
        assertArrayEquals(message, pair.server().receive().bytes());
        Message two = pair.server().receive();
        assertEquals(ByteBuffer.wrap(new byte[] {1, 2}), two.buffer());
        assertEquals("message of 2 bytes", two.toString());
      }
    }

    @Test
    void buffersKeepTheirPlacesAndRecordsTheirValues(@Connected RcPair pair) {
      ByteBuffer source = ByteBuffer.wrap(bytes(100)).position(10).limit(30);
      ByteBuffer target = ByteBuffer.allocateDirect(100).position(5);
      pair.client().send(source);
      assertEquals(20, pair.server().receive(target));
      assertEquals(25, target.position());
      assertEquals(10, source.position());
      assertEquals(source, target.slice(5, 20));

      pair.client().send(new Quote("ROCE", 42));
      assertEquals(new Quote("ROCE", 42), pair.server().receive(Quote.class));
    }

    @Test
    void theClientUsesTheMemoryThatTheServerExposes(@Connected(messageBytes = 512) RcPair pair) {
      ExposedBuffer exposed = pair.server().expose(4096);
      pair.server().send(exposed.key());
      RemoteBuffer remote = pair.client().receive(RemoteBuffer.class);

      byte[] long3 = bytes(1500);
      pair.client().write(remote, 8, long3);
      assertEquals(
          MemorySegment.ofArray(long3).mismatch(exposed.memory().asSlice(8, 1500)), -1, "written");
      assertArrayEquals(long3, pair.client().read(remote, 8, 1500));

      exposed.memory().set(ValueLayout.JAVA_LONG, 0, 40);
      assertEquals(40, pair.client().fetchAndAdd(remote, 0, 2));
      assertEquals(42, pair.client().compareAndSwap(remote, 0, 42, 7));
      assertEquals(7, pair.client().compareAndSwap(remote, 0, 42, 8));
      assertEquals(7, exposed.memory().get(ValueLayout.JAVA_LONG, 0));
    }

    @Test
    void datagramsSayWhoSentThem(@Connected UdPair pair) {
      receiveDespiteLoss(pair.client(), pair.server(), "hello");
      Message message = pair.server().receive();
      assertEquals(pair.client().address(), message.sender());
      assertEquals("hello", message.text());
      receiveDespiteLoss(pair.server().to(message.sender()), pair.client(), "back");
      assertEquals("back", pair.client().receiveString());
    }

    /** Sends often enough that two messages arrive, and receives one. */
    private static void receiveDespiteLoss(DatagramEnd from, DatagramEnd to, String text) {
      for (int i = 0; i < 8; i++) {
        from.send(text);
      }
      assertEquals(text, to.receiveString());
    }

    @Test
    void whatIsNotReadStaysTheNextMessage(@Connected RcPair pair) {
      pair.client().send(new Quote("ROCE", 42));
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment small = arena.allocate(4);
        Expect.refused(Errno.EMSGSIZE, () -> pair.server().receive(small));
      }
      VerbsException wrong =
          Expect.refused(Errno.EBADMSG, () -> pair.server().receive(RemoteBuffer.class));
      assertEquals(
          "these 20 bytes are no RemoteBuffer(long address,int rkey,long length): the peer sent"
              + " another record, text or plain bytes; give both programs the same record, or"
              + " receive what was sent",
          wrong.remedy());
      assertEquals(new Quote("ROCE", 42), pair.server().receive(Quote.class));
    }

    @Test
    void aMessageThatIsTooLongIsNotSent(@Connected(messageBytes = 8) RcPair pair) {
      VerbsException refused =
          Expect.refused(Errno.EMSGSIZE, () -> pair.client().send(new byte[9]));
      assertTrue(refused.remedy().contains("larger messageBytes"), refused.remedy());
      pair.client().send("goes on");
      assertEquals("goes on", pair.server().receiveString());
    }

    @Test
    void aRangeOutsideThePeersBufferIsNotAsked(@Connected RcPair pair) {
      RemoteBuffer remote = pair.server().expose(16).key();
      Expect.refused(Errno.ERANGE, () -> pair.client().read(remote, 9, 8));
      Expect.refused(Errno.EINVAL, () -> pair.client().fetchAndAdd(remote, 4, 1));
      assertEquals(0, pair.client().fetchAndAdd(remote, 8, 1));
    }

    @Test
    void aClosedBufferEndsTheConnectionOfWhoUsesIt(@Connected RcPair pair) {
      ExposedBuffer exposed = pair.server().expose(16);
      RemoteBuffer remote = exposed.key();
      exposed.close();
      assertEquals(
          Errno.EINVAL, assertThrows(VerbsException.class, exposed::key).errno(), "a dead key");
      FailedRequestException failed =
          assertThrows(FailedRequestException.class, () -> pair.client().read(remote, 0, 8));
      assertTrue(refused().contains(failed.status()), failed.getMessage());
      if (failed.status() == WcStatus.REM_ACCESS_ERR) {
        assertEquals(Errno.EACCES, failed.errno());
      }
      FailedRequestException later =
          assertThrows(FailedRequestException.class, () -> pair.client().send("too late"));
      assertEquals(WcStatus.WR_FLUSH_ERR, later.status());
      assertEquals("the connection is broken since: " + failed.remedy(), later.remedy());
      assertEquals(
          WcStatus.WR_FLUSH_ERR,
          assertThrows(FailedRequestException.class, () -> pair.server().receive()).status());
    }

    @Test
    void silenceIsToldAfterTheTimeout(@Connected RcPair pair) {
      Expect.refused(Errno.ETIMEDOUT, () -> pair.server().receiveString(SHORT));
      assertThrows(VerbsException.class, () -> pair.server().receive(Duration.ZERO));
      pair.client().send("late");
      assertEquals("late", pair.server().receiveString());
    }

    @Test
    void aReceiverThatIsBehindHoldsTheSenderUpAndLosesNothing(Context a, Context b) {
      ConnectionOptions options = ConnectionOptions.DEFAULT.withDepth(2).withTimeout(LONGER);
      try (RcPair pair = RcPair.connect(a, b, options)) {
        pair.client().send("0");
        pair.client().send("1");
        VerbsException behind = Expect.refused(Errno.ETIMEDOUT, () -> pair.client().send("2"));
        assertTrue(behind.remedy().contains("may still"), behind.remedy());
        assertEquals("0", pair.server().receiveString());
        assertEquals("1", pair.server().receiveString());
        assertEquals("2", pair.server().receiveString(Duration.ofSeconds(30)));
        pair.client().send("3");
        assertEquals("3", pair.server().receiveString());
      }
    }

    @Test
    void aPeerThatIsClosedIsToldOfByTheNextSend(
        @Connected(ackTimeout = 8, retries = 2) RcPair pair) {
      pair.server().close();
      FailedRequestException failed =
          assertThrows(FailedRequestException.class, () -> pair.client().send("hello?"));
      assertEquals(WcStatus.RETRY_EXC_ERR, failed.status());
      assertTrue(failed.remedy().contains("does not answer; has its program ended"));
      for (MessageEnd end : List.of(pair.server())) {
        VerbsException closed = Expect.refused(Errno.ENOTCONN, () -> end.send("x"));
        assertEquals(closed.remedy(), assertThrows(VerbsException.class, end::receive).remedy());
        int more = ConnectionOptions.DEFAULT.depth() + 1;
        for (int i = 0; i < more; i++) { // each has used a send buffer
          assertThrows(FailedRequestException.class, () -> pair.client().send("still?"));
        }
      }
    }

    @Test
    void aClosedPairLeavesNothingBehind(Context a, Context b) {
      RcPair connected = RcPair.connect(a, b);
      UdPair datagrams = UdPair.connect(a, b);
      ExposedBuffer exposed = connected.server().expose(8);
      List<MessageEnd> ends =
          List.of(connected.client(), connected.server(), datagrams.client(), datagrams.server());
      connected.close();
      connected.close();
      datagrams.close();
      for (MessageEnd end : ends) {
        assertThrows(VerbsException.class, end.qp()::state);
        end.pd().close();
      }
      assertTrue(!exposed.memory().scope().isAlive());
      assertThrows(VerbsException.class, () -> connected.server().expose(8));
    }

    @Test
    void immediateDataComesWithTheMessageAndOtherRequestsAreNotMixedUp(@Connected RcPair pair) {
      RemoteBuffer remote = pair.server().expose(8).key();
      QueuePair raw = pair.client().qp();
      try (SendRequestList write = new SendRequestList(1, 1, 0)) {
        write.add().opcode(WrOpcode.RDMA_WRITE_WITH_IMM).immediate(42);
        write.remote(remote.address(), remote.rkey());
        raw.postSendOrThrow(write);
        Message message = pair.server().receive();
        assertEquals(OptionalInt.of(42), message.immediate());
        assertEquals("message of 0 bytes with immediate data 42", message.toString());
        assertEquals(0, message.bytes().length);

        raw.postSendOrThrow(write.wrId(7).flags(SendFlags.SIGNALED));
      }
      VerbsException foreign = assertThrows(VerbsException.class, () -> pair.client().send("mine"));
      assertTrue(foreign.remedy().startsWith("request 7, which the program"), foreign.remedy());
    }

    @Test
    void anEndThatCannotBeMadeLeavesNothingBehind(Context context) {
      int next = nextHandle(context);
      ConnectionOptions nowhere = ConnectionOptions.DEFAULT.withGidIndex(1);
      for (Runnable open :
          List.<Runnable>of(
              () -> RcPair.connect(context, context, nowhere),
              () -> UdPair.connect(context, context, nowhere),
              () -> Connection.connect(context, "127.0.0.1", 1, nowhere))) {
        Expect.refused(Errno.EINVAL, open);
        assertEquals(next, nextHandle(context));
      }
      ConnectionOptions bad = ConnectionOptions.DEFAULT.withAttributes(attr -> attr.portNum(9));
      for (int i = 0; i < 30; i++) {
        assertThrows(VerbsException.class, () -> RcPair.connect(context, context, bad));
      }
      assertTrue(nextHandle(context) < next + 20, "numbers are used again");
    }

    /** The handle that the next protection domain would get. */
    private static int nextHandle(Context context) {
      try (ProtectionDomain pd = context.allocPd()) {
        return pd.handle();
      }
    }

    @Test
    void aConnectionHasNoSenderButItsPeer(@Connected RcPair pair) {
      pair.client().send("x");
      assertNull(pair.server().receive().sender());
    }

    private static byte[] bytes(int length) {
      byte[] bytes = new byte[length];
      IntStream.range(0, length).forEach(i -> bytes[i] = (byte) (i * 7 + 3));
      return bytes;
    }
  }
}
