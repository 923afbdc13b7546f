package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;

/** Two connected ends on one thread, in virtual time. */
class MessagesOfAPairTest extends ConnectRig {
  private static final int LONGEST = 300;
  private static final int DEPTH = 3;
  private static final Duration SHORT = Duration.ofMillis(3);

  /** A record to send. */
  private record Quote(String symbol, long price) {}

  private final Connection client = pair.client();
  private final Connection server = pair.server();

  MessagesOfAPairTest() {
    super(
        ConnectionOptions.DEFAULT
            .withMessageBytes(LONGEST)
            .withDepth(DEPTH)
            .withTimeout(Duration.ofSeconds(1)));
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 7 + 3);
    }
    return bytes;
  }

  @Test
  void everyWayToSendSendsTheSameBytesToEveryWayToReceive() {
    byte[] text = "grüß".getBytes(StandardCharsets.UTF_8);
    ByteBuffer within = ByteBuffer.allocate(20).put(4, text).position(4).limit(4 + text.length);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(text.length).copyFrom(MemorySegment.ofArray(text));
      List<Consumer<Connection>> sends =
          List.of(
              end -> end.send("grüß"),
              end -> end.send(text),
              end -> end.send(within),
              end -> end.send(memory));
      List<Function<Connection, String>> receives =
          List.of(
              Connection::receiveString,
              end -> end.receiveString(SHORT),
              end -> end.receive().text(),
              end -> end.receive(SHORT).text(),
              end -> received(end, true),
              end -> received(end, false));
      for (Consumer<Connection> send : sends) {
        for (Function<Connection, String> receive : receives) {
          send.accept(client);
          assertEquals("grüß", receive.apply(server));
          send.accept(server);
          assertEquals("grüß", receive.apply(client));
        }
      }
    }
    assertEquals(4, within.position(), "a buffer that was sent");
  }

  private static String received(Connection end, boolean within) {
    ByteBuffer into = ByteBuffer.allocate(LONGEST).position(2);
    int length = within ? end.receive(into) : end.receive(into, SHORT);
    assertEquals(2 + length, into.position());
    return new String(into.array(), 2, length, StandardCharsets.UTF_8);
  }

  @Test
  void recordsKeepTheirValues() {
    client.send(new Quote("ROCE", 42));
    assertEquals(new Quote("ROCE", 42), server.receive(Quote.class));
    client.send(new Quote("ROCE", 43));
    assertEquals(new Quote("ROCE", 43), server.receive(Quote.class, SHORT));
    client.send(new Quote("ROCE", 44));
    assertEquals(new Quote("ROCE", 44), server.receive().as(Quote.class));
  }

  @Test
  void everyBufferIsUsedAgainAndAMessageEndsWhereItEnds() {
    for (int i = 0; i < 3 * DEPTH; i++) {
      for (int length : new int[] {LONGEST, 0, 1, 64, 63}) {
        client.send(bytes(length));
        Message message = server.receive();
        assertArrayEquals(bytes(length), message.bytes());
        assertEquals("message of " + length + " bytes", message.toString());
        assertNull(message.sender());
        assertEquals(OptionalInt.empty(), message.immediate());
      }
    }
  }

  @Test
  void messagesThatWaitAreReceivedInTheirOrder() {
    for (int i = 0; i < DEPTH; i++) {
      client.send("message " + i);
    }
    for (int i = 0; i < DEPTH; i++) {
      assertEquals("message " + i, server.receiveString());
    }
  }

  @Test
  void aMessageOfMoreThanTheLongestIsNotSent() {
    assertEquals(LONGEST, client.messageBytes());
    String told = refused(Errno.EMSGSIZE, () -> client.send(new byte[LONGEST + 1])).remedy();
    assertTrue(told.startsWith("the message has 301 bytes and this end sends at most 300; "), told);
    client.send("next");
    assertEquals("next", server.receiveString());
  }

  /** Also of the last receive that is posted. */
  @Test
  void aMessageThatItsReaderRefusesStaysTheNextOne() {
    for (int i = 0; i < DEPTH; i++) {
      client.send(new byte[] {(byte) 0xFF, (byte) i});
    }
    for (int i = 0; i < DEPTH; i++) {
      refused(Errno.EILSEQ, server::receiveString);
      refused(Errno.EILSEQ, () -> server.receiveString(SHORT));
      refused(Errno.EBADMSG, () -> server.receive(Quote.class));
      MemorySegment small = MemorySegment.ofArray(new byte[1]);
      String told = refused(Errno.EMSGSIZE, () -> server.receive(small)).remedy();
      assertEquals(
          "the message has 2 bytes and the memory for it 1; receive it again into more", told);
      assertArrayEquals(new byte[] {(byte) 0xFF, (byte) i}, server.receive().bytes());
    }
    client.send("again");
    assertEquals("again", server.receiveString());
  }

  @Test
  void aReceiveWaitsAsLongAsItSays() {
    for (Duration wait : List.of(Duration.ofSeconds(2, 5), SHORT, Duration.ZERO)) {
      long beganNs = network.fabric().nowNs();
      refused(Errno.ETIMEDOUT, () -> server.receive(wait));
      assertEquals(wait.toNanos(), network.fabric().nowNs() - beganNs, 1e6);
    }
    long beganNs = network.fabric().nowNs();
    String told = refused(Errno.ETIMEDOUT, server::receive).remedy();
    assertEquals(1e9, network.fabric().nowNs() - beganNs, 1e6);
    assertTrue(told.contains(" within 1s; "), told);
  }

  /** A call that slept until its limit would notice the completion only then. */
  @Test
  void aCallEndsWithItsCompletion() {
    long beganNs = network.fabric().nowNs();
    client.send("hello");
    assertEquals("hello", server.receiveString());
    try (SendRequestList send = new SendRequestList(1, 1, 0)) {
      send.add().opcode(WrOpcode.SEND);
      client.qp().postSendOrThrow(send);
      assertEquals(0, server.receive().bytes().length);
    }
    assertEquals(0, network.fabric().nowNs() - beganNs, 1e6);
  }

  /** As those of the C programs, except that a peer on a busy machine is not given up. */
  @Test
  void theQueuePairIsMadeForAPeerThatMayBeSlow() {
    QpAttr attr = client.qp().query();
    assertEquals(17, attr.timeout());
    assertEquals(7, attr.retryCnt());
    assertEquals(7, attr.rnrRetry());
    assertEquals(0, attr.sqPsn());
    assertEquals(0, attr.rqPsn());
  }

  @Test
  void theFirstPsnOfAnExchangeIsAnyOf24Bits() {
    IntSummaryStatistics psns =
        IntStream.generate(Connection::randomPsn).limit(200).summaryStatistics();
    assertTrue(psns.getMin() >= 0 && psns.getMax() < 1 << 24, psns.toString());
    assertTrue(psns.getMax() >= 1 << 23, psns.toString());
  }

  @Test
  void aSenderWaitsForAReceiverThatIsBehindAndLosesNothing() {
    for (int i = 0; i < DEPTH; i++) {
      client.send("" + i);
    }
    String told = refused(Errno.ETIMEDOUT, () -> client.send("late")).remedy();
    assertTrue(told.startsWith("SEND of 4 bytes was not acknowledged in time"), told);
    assertTrue(told.contains(server.ownAddress().gid().addressText()), told);
    for (int i = 1; i < DEPTH; i++) {
      refused(Errno.ETIMEDOUT, () -> client.send("later"));
    }
    told = refused(Errno.ETIMEDOUT, () -> client.send("in vain")).remedy();
    assertTrue(told.startsWith("a request under way was not acknowledged in time"), told);
    for (String expected : List.of("0", "1", "2", "late", "later", "later")) {
      assertEquals(expected, server.receiveString(Duration.ofSeconds(30)));
    }
    client.send("and on");
    assertEquals("and on", server.receiveString());
  }

  @Test
  void aWriteWithImmediateDataIsAMessageWithoutBytes() {
    try (SendRequestList write = new SendRequestList(1, 1, 0)) {
      ExposedBuffer source = client.expose(16);
      RemoteBuffer remote = server.expose(16).key();
      write.add().opcode(WrOpcode.RDMA_WRITE_WITH_IMM).immediate(42);
      write.remote(remote.address(), remote.rkey()).sge(source.region(), 0, 9);
      client.qp().postSendOrThrow(write);
      Message message = server.receive();
      assertEquals(OptionalInt.of(42), message.immediate());
      assertEquals("message of 0 bytes with immediate data 42", message.toString());
      client.qp().postSendOrThrow(write.wrId(7).flags(SendFlags.SIGNALED));
    }
    String told = refused(Errno.EINVAL, () -> client.send("mine")).remedy();
    assertTrue(told.startsWith("request 7, which the program posted"), told);
  }

  @Test
  void aClosedEndRefusesEveryCall() {
    server.close();
    server.close();
    RemoteBuffer remote = new RemoteBuffer(0, 0, 64);
    refused(Errno.ENOTCONN, () -> server.send("late"));
    refused(Errno.ENOTCONN, server::receive);
    refused(Errno.ENOTCONN, () -> server.write(remote, 0, new byte[1]));
    refused(Errno.ENOTCONN, () -> server.read(remote, 0, 1));
    refused(Errno.ENOTCONN, () -> server.fetchAndAdd(remote, 0, 1));
    refused(Errno.ENOTCONN, () -> server.expose(8));
  }

  /** What the peer exposes goes with its end, even if the program has closed a part itself. */
  @Test
  void closingAnEndClosesItsObjects() {
    ExposedBuffer first = server.expose(8);
    ExposedBuffer second = server.expose(8);
    first.close();
    pair.close();
    assertFalse(first.memory().scope().isAlive());
    assertFalse(second.memory().scope().isAlive());
    for (Connection end : List.of(client, server)) {
      refused(Errno.EINVAL, end.qp()::state);
    }
  }

  /** The program uses the end's domain still, which cannot be closed. */
  @Test
  void bothEndsAreClosedAlthoughTheFirstRefuses() {
    UdPair datagrams = UdPair.connect(near, far);
    for (MessageEnd end : List.of(client, datagrams.client())) {
      end.pd().createAh(AhAttr.roce(server.ownAddress().gid(), 0));
    }
    refused(Errno.EBUSY, pair::close);
    refused(Errno.EBUSY, datagrams::close);
    for (MessageEnd end : List.of(client, server, datagrams.client(), datagrams.server())) {
      refused(Errno.ENOTCONN, end::receive);
    }
  }

  /** The first failure says why; what was flushed after it refers to the first. */
  @Test
  void requestsAfterAFailureSayWhyTheFirstFailed() {
    ExposedBuffer exposed = server.expose(16);
    RemoteBuffer remote = exposed.key();
    exposed.close();
    refused(Errno.EINVAL, exposed::key);
    VerbsException first = refused(Errno.EACCES, () -> client.read(remote, 0, 8));
    assertTrue(first.remedy().startsWith("RDMA READ of 8 bytes failed with "), first.remedy());
    for (int i = 0; i <= DEPTH; i++) {
      VerbsException later = refused(Errno.EACCES, () -> client.send("too late"));
      assertEquals("the connection is broken since: " + first.remedy(), later.remedy());
    }
    VerbsException there = refused(Errno.ENOTCONN, server::receive);
    assertTrue(there.remedy().startsWith("a receive failed with WR_FLUSH_ERR: "), there.remedy());
  }

  @Test
  void anEndWhoseQueuePairWasStoppedSaysSo() {
    client.qp().modify(new QpAttr().qpState(QpState.ERR));
    VerbsException told = refused(Errno.ENOTCONN, client::receive);
    assertTrue(told.remedy().contains("the queue pair went to the error state"), told.remedy());
    refused(Errno.ENOTCONN, () -> client.send("x"));
  }

  @Test
  void memoryOfThePeerIsWrittenAndReadInPartsOfAMessage() {
    ExposedBuffer exposed = server.expose(2000);
    RemoteBuffer remote = exposed.key();
    assertEquals(2000, remote.length());
    byte[] all = bytes(3 * LONGEST + 1);
    client.write(remote, 5, all);
    byte[] there = exposed.memory().toArray(ValueLayout.JAVA_BYTE);
    assertArrayEquals(all, Arrays.copyOfRange(there, 5, 5 + all.length));
    assertEquals(0, there[4]);
    assertEquals(0, there[5 + all.length]);
    assertArrayEquals(all, client.read(remote, 5, all.length));
    byte[] into = new byte[all.length + 2];
    client.read(remote, 5, MemorySegment.ofArray(into).asSlice(1, all.length));
    assertArrayEquals(all, Arrays.copyOfRange(into, 1, 1 + all.length));
    assertEquals(0, into[0]);
    assertEquals(0, into[all.length + 1]);
  }

  @Test
  void atomicsTellTheNumberBefore() {
    ExposedBuffer exposed = server.expose(16);
    RemoteBuffer remote = exposed.key();
    exposed.memory().set(ValueLayout.JAVA_LONG, 8, 40);
    assertEquals(40, client.fetchAndAdd(remote, 8, 2));
    assertEquals(42, client.compareAndSwap(remote, 8, 42, 7));
    assertEquals(7, client.compareAndSwap(remote, 8, 42, 8));
    assertEquals(7, exposed.memory().get(ValueLayout.JAVA_LONG, 8));
    assertEquals(0, exposed.memory().get(ValueLayout.JAVA_LONG, 0));
  }

  @Test
  void aRangeThatLeavesThePeersBufferIsNotAsked() {
    RemoteBuffer remote = server.expose(16).key();
    for (long[] range : new long[][] {{9, 8}, {-1, 8}, {17, 0}, {16, 1}}) {
      int bytes = (int) range[1];
      refused(Errno.ERANGE, () -> client.read(remote, range[0], bytes));
      refused(Errno.ERANGE, () -> client.write(remote, range[0], new byte[bytes]));
    }
    client.write(remote, 8, new byte[8]);
    client.write(remote, 16, new byte[0]);
    assertEquals(0, client.read(remote, 16, 0).length);
  }
}
