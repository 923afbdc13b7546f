package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.capture.CapturePort;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultPort;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.capture.CaptureReader;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.CapturedFrame;

/** What every kind of port must keep; each has a test class that extends this one. */
public abstract class PortContract {
  private static final Gid LEFT = Gid.parse("127.0.0.1");
  private static final Gid RIGHT = Gid.parse("127.0.0.2");
  private static final Gid LOOPBACK6 = Gid.parse("::1");
  private static final long PATIENCE_NS = 5_000_000_000L;

  /** That a port may remember beyond those that somebody uses. */
  private static final int MOST_PATHS = 2048;

  private final List<Port> opened = new ArrayList<>();
  private int udpPort;

  /** The kind under test. */
  protected abstract PortProvider provider();

  /** A received datagram, copied. */
  public record Datagram(
      byte[] bytes,
      Gid source,
      int sourcePort,
      Gid local,
      int trafficClass,
      int hopLimit,
      IcrcVerdict icrc) {
    static Datagram of(Inbound in) {
      byte[] bytes = new byte[in.length()];
      in.buffer().get(in.at(), bytes);
      for (int i = 0; i < bytes.length; i++) {
        assertEquals(
            bytes[i],
            in.memory().get(ValueLayout.JAVA_BYTE, in.at() + i),
            "buffer and memory are views of the same bytes");
      }
      return new Datagram(
          bytes,
          new Gid(in.sourceHigh(), in.sourceLow()),
          in.sourcePort(),
          new Gid(in.localHigh(), in.localLow()),
          in.trafficClass(),
          in.hopLimit(),
          in.icrc());
    }
  }

  @BeforeEach
  void needsProvider() {
    assumeTrue(provider().unavailable().isEmpty(), () -> provider().unavailable().orElse(""));
    udpPort = freeUdpPort();
  }

  @AfterEach
  void closeAll() {
    opened.forEach(Port::close);
  }

  /** A UDP port that is free on the loopback addresses; not 4791, so that tests run in parallel. */
  protected static int freeUdpPort() {
    try (DatagramSocket probe = new DatagramSocket(0)) {
      return probe.getLocalPort();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  protected PortOptions options(Gid... addresses) {
    return PortOptions.of(List.of(addresses)).withUdpPort(udpPort);
  }

  protected Port open(PortOptions options) {
    Port port = provider().open(options);
    port.adopt();
    opened.add(port);
    return port;
  }

  protected static Path path(Gid from, Gid to, int trafficClass, int hopLimit) {
    return new Path(0, from.high(), from.low(), to.high(), to.low(), trafficClass, hopLimit);
  }

  protected static Transmit train(Port port) {
    return new Transmit(
        ByteBuffer.allocateDirect(Transmit.MAX_BYTES), port.capabilities().maxTrain());
  }

  /** Adds a datagram whose bytes follow from its number; false when it does not fit. */
  protected static boolean add(Transmit train, Path path, int size, int number) {
    int at = train.claim(path, 0xC000, size);
    if (at < 0) {
      return false;
    }
    ByteBuffer buffer = train.buffer();
    for (int i = 0; i < size; i++) {
      buffer.put(at + i, (byte) (number * 31 + i));
    }
    train.commit(size);
    return true;
  }

  private static void assertPayload(int size, int number, Datagram datagram) {
    assertEquals(size, datagram.bytes().length);
    for (int i = 0; i < size - 4; i++) {
      assertEquals((byte) (number * 31 + i), datagram.bytes()[i], "byte " + i + " of " + number);
    }
  }

  /** Waits for that many datagrams. */
  protected static List<Datagram> receive(Port port, int count) {
    List<Datagram> received = new ArrayList<>();
    long deadline = System.nanoTime() + PATIENCE_NS;
    while (received.size() < count && System.nanoTime() - deadline < 0) {
      if (port.receive(in -> received.add(Datagram.of(in)), 256) == 0) {
        port.await(10_000_000);
      }
    }
    assertEquals(count, received.size(), "datagrams received");
    return received;
  }

  @Test
  void aSingleDatagramArrivesWholeWithItsAddresses() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    Transmit train = train(left);
    add(train, path(LEFT, RIGHT, 0, 64), 60, 1);
    left.send(train);
    Datagram datagram = receive(right, 1).getFirst();
    assertPayload(60, 1, datagram);
    assertEquals(LEFT, datagram.source());
    assertEquals(RIGHT, datagram.local());
    assertEquals(udpPort, datagram.sourcePort());
    assertEquals(IcrcVerdict.RIGHT, datagram.icrc());
  }

  @Test
  void trainsArriveDatagramByDatagramInOrderAndSealed() {
    exchangeTrains(LEFT, RIGHT);
  }

  @Test
  void trainsArriveOverIpv6() {
    assumeTrue(haveIpv6(), "no ::1 here");
    exchangeTrains(LOOPBACK6, LOOPBACK6);
  }

  private static boolean haveIpv6() {
    try (DatagramSocket probe = new DatagramSocket(null)) {
      probe.bind(new InetSocketAddress("::1", 0));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private void exchangeTrains(Gid from, Gid to) {
    Port left = open(options(from));
    Port right = from.equals(to) ? left : open(options(to));
    Path path = path(from, to, 0, 64);
    Transmit train = train(left);
    for (int size : new int[] {32, 60, 1040, 4156}) {
      int[] sizes = new int[40];
      Arrays.fill(sizes, size);
      sizes[12] = size / 2;
      sizes[39] = size - 4;
      train.clear();
      for (int i = 0; i < sizes.length; i++) {
        if (!add(train, path, sizes[i], i)) {
          left.send(train);
          train.clear();
          assertTrue(add(train, path, sizes[i], i));
        }
      }
      left.send(train);
      List<Datagram> received = receive(right, sizes.length);
      for (int i = 0; i < sizes.length; i++) {
        assertPayload(sizes[i], i, received.get(i));
        assertEquals(IcrcVerdict.RIGHT, received.get(i).icrc(), i + " of " + size + " bytes");
      }
    }
  }

  @Test
  void aPortTakesDatagramsOfAllItsAddresses() {
    Gid third = Gid.parse("127.0.0.3");
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT, third));
    Transmit train = train(left);
    add(train, path(LEFT, RIGHT, 0, 64), 32, 1);
    left.send(train);
    train.clear();
    add(train, path(LEFT, third, 0, 64), 32, 2);
    left.send(train);
    List<Gid> locals = receive(right, 2).stream().map(Datagram::local).toList();
    assertTrue(locals.contains(RIGHT) && locals.contains(third), locals.toString());
    train.clear();
    add(train, path(third, LEFT, 0, 64), 32, 3);
    right.send(train);
    assertEquals(third, receive(left, 1).getFirst().source());
  }

  /** Addresses of one kind leave room that those of the other need. */
  @Test
  void aPortOfBothFamiliesKeepsThemApart() {
    assumeTrue(haveIpv6(), "no ::1 here");
    Port port = open(options(LEFT, LOOPBACK6));
    Transmit train = train(port);
    for (int i = 0; i < 8; i++) {
      Gid self = i % 2 == 0 ? LEFT : LOOPBACK6;
      train.clear();
      add(train, path(self, self, 0, 64), 60, i);
      port.send(train);
      Datagram datagram = receive(port, 1).getFirst();
      assertPayload(60, i, datagram);
      assertEquals(self, datagram.source());
      assertEquals(self, datagram.local());
      assertEquals(IcrcVerdict.RIGHT, datagram.icrc());
    }
  }

  @Test
  void trafficClassAndHopLimitTravelWhereDeclared() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    PortCapabilities can = right.capabilities();
    Transmit train = train(left);
    for (int trafficClass : new int[] {0, 0xB8, 0x02, 0xFC}) {
      train.clear();
      add(train, path(LEFT, RIGHT, trafficClass, 17), 32, trafficClass);
      left.send(train);
      Datagram datagram = receive(right, 1).getFirst();
      assertEquals(
          can.trafficClassIn()
              ? left.capabilities().trafficClassOut() ? trafficClass : datagram.trafficClass()
              : Inbound.UNKNOWN,
          datagram.trafficClass());
      assertEquals(can.hopLimitIn() ? 17 : Inbound.UNKNOWN, datagram.hopLimit());
      assertEquals(IcrcVerdict.RIGHT, datagram.icrc());
    }
  }

  @Test
  void withoutIcrcNothingIsJudged() {
    PortOptions plain = options(LEFT).withCheckIcrc(false);
    Port left = open(plain);
    Transmit train = train(left);
    add(train, path(LEFT, LEFT, 0, 64), 32, 7);
    byte[] before = new byte[32];
    train.buffer().get(0, before);
    left.send(train);
    Datagram datagram = receive(left, 1).getFirst();
    assertArrayEquals(before, datagram.bytes());
    assertEquals(IcrcVerdict.UNCHECKED, datagram.icrc());
  }

  @Test
  void aForeignDatagramIsHandedOverAsWrongAndCounted() throws IOException {
    Port port = open(options(LEFT));
    try (DatagramSocket stranger = new DatagramSocket(0)) {
      for (int size : new int[] {0, 3, 15, 16, 60, 2000}) {
        stranger.send(
            new DatagramPacket(new byte[size], size, new InetSocketAddress("127.0.0.1", udpPort)));
      }
    }
    for (Datagram datagram : receive(port, 6)) {
      assertEquals(IcrcVerdict.WRONG, datagram.icrc(), datagram.bytes().length + " bytes");
    }
    assertEquals(6, port.counters().get(Counter.ICRC_ERROR));
  }

  @Test
  void whatCannotBeSentIsCountedAndNotThrown() {
    Port port = open(options(LEFT));
    Transmit train = train(port);
    // From an address that is not ours, to a network that loopback does not reach, and too long.
    add(train, path(RIGHT, LEFT, 0, 64), 32, 1);
    port.send(train);
    assertEquals(1, port.counters().get(Counter.SEND_ERROR));
    train.clear();
    add(train, path(LEFT, Gid.parse("192.0.2.1"), 0, 64), 32, 1);
    port.send(train);
    port.receive(in -> {}, 1);
    assertEquals(2, port.counters().get(Counter.SEND_ERROR));
    Transmit huge = new Transmit(ByteBuffer.allocateDirect(1 << 17), 1);
    int size = 65_600;
    huge.claim(path(LEFT, LEFT, 0, 64), 0, size);
    huge.commit(size);
    port.send(huge);
    port.receive(in -> {}, 1);
    assertEquals(3, port.counters().get(Counter.SEND_ERROR));
  }

  @Test
  void wakeupEndsAnAwaitInProgress() throws InterruptedException {
    Port port = open(options(LEFT));
    Thread waker =
        Thread.ofPlatform()
            .start(
                () -> {
                  pause(20_000_000);
                  port.wakeup();
                });
    long start = System.nanoTime();
    port.await(PATIENCE_NS);
    assertTrue(System.nanoTime() - start < PATIENCE_NS / 2, "await lasted to its limit");
    waker.join();
  }

  @Test
  void wakeupBeforehandEndsTheNextAwait() {
    Port port = open(options(LEFT));
    for (int i = 0; i < 3; i++) {
      port.wakeup();
      port.wakeup();
      long start = System.nanoTime();
      port.await(PATIENCE_NS);
      assertTrue(System.nanoTime() - start < PATIENCE_NS / 2, "await lasted to its limit");
    }
  }

  @Test
  void anArrivalEndsAwait() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    Transmit train = train(left);
    add(train, path(LEFT, RIGHT, 0, 64), 32, 1);
    left.send(train);
    long start = System.nanoTime();
    right.await(PATIENCE_NS);
    right.await(PATIENCE_NS); // nobody has received it yet
    assertTrue(System.nanoTime() - start < PATIENCE_NS / 2, "await lasted to its limit");
    receive(right, 1);
  }

  /** A port that always finds a reason to end a wait burns a processor. */
  @Test
  void withNothingToWaitForAwaitSleeps() {
    Port port = open(options(LEFT));
    Gid group = Gid.parse("239.255.47.93");
    port.wakeup();
    if (port.capabilities().multicast()) {
      port.join(group.high(), group.low());
      port.leave(group.high(), group.low());
    }
    Transmit train = train(port);
    add(train, path(LEFT, LEFT, 0, 64), 32, 1);
    port.send(train);
    receive(port, 1);
    long start = System.nanoTime();
    for (int i = 0; i < 20; i++) {
      port.await(5_000_000);
    }
    long lasted = System.nanoTime() - start;
    assertTrue(lasted > 50_000_000, () -> "20 times 5 ms lasted " + lasted + " ns");
  }

  @Test
  void aGroupThatIsJoinedDuringAnAwaitIsHeardByIt() throws InterruptedException {
    Gid group = Gid.parse("239.255.47.94");
    Port left = open(options(LEFT));
    Port right = provider().open(options(RIGHT));
    opened.add(right);
    assumeTrue(right.capabilities().multicast());
    AtomicBoolean heard = new AtomicBoolean();
    Thread waiter =
        Thread.ofPlatform()
            .start(
                () -> {
                  right.adopt();
                  while (!heard.get()) {
                    right.await(4 * PATIENCE_NS);
                    right.receive(in -> heard.set(true), 8);
                  }
                  right.close();
                });
    pause(50_000_000);
    right.join(group.high(), group.low());
    pause(50_000_000);
    Transmit train = train(left);
    add(train, path(LEFT, group, 0, 1), 32, 1);
    left.send(train);
    waiter.join(PATIENCE_NS / 1_000_000);
    assertFalse(waiter.isAlive(), "who waits does not hear the group");
  }

  @Test
  void anAddressThatIsFloodedDoesNotKeepAnotherFromBeingHeard() {
    Gid third = Gid.parse("127.0.0.3");
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT, third));
    Transmit train = train(left);
    for (Gid flooded : List.of(RIGHT, third)) {
      Gid other = flooded.equals(RIGHT) ? third : RIGHT;
      for (int i = 0; i < 100; i++) {
        train.clear();
        add(train, path(LEFT, i < 99 ? flooded : other, 0, 64), 32, i);
        left.send(train);
      }
      List<Gid> locals = new ArrayList<>();
      for (int call = 0; call < 4; call++) {
        right.receive(in -> locals.add(new Gid(in.localHigh(), in.localLow())), 8);
      }
      assertTrue(locals.contains(other), () -> "heard: " + locals);
      receive(right, 100 - locals.size());
    }
  }

  @Test
  void theTimeOfABatchIsThatOfItsArrival() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    Transmit train = train(left);
    add(train, path(LEFT, RIGHT, 0, 64), 32, 1);
    for (int i = 0; i < 3; i++) {
      long sent = right.nowNs();
      left.send(train);
      List<Long> times = new ArrayList<>();
      while (times.isEmpty()) {
        right.receive(in -> times.add(right.receivedNs()), 8);
      }
      assertTrue(times.getFirst() >= sent && times.getFirst() <= right.nowNs(), "batch " + i);
    }
  }

  @Test
  void whatASinkThrowsIsThrownOnce() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    Transmit train = train(left);
    add(train, path(LEFT, RIGHT, 0, 64), 32, 1);
    left.send(train);
    DatagramSink throwing =
        in -> {
          throw new IllegalStateException("thrown by a test");
        };
    assertThrows(
        IllegalStateException.class,
        () -> {
          long deadline = System.nanoTime() + PATIENCE_NS;
          while (System.nanoTime() - deadline < 0) {
            right.receive(throwing, 8);
          }
        });
    left.send(train);
    receive(right, 1);
  }

  @Test
  void awaitKeepsItsLimit() {
    Port port = open(options(LEFT));
    long start = System.nanoTime();
    port.await(30_000_000);
    long lasted = System.nanoTime() - start;
    assertTrue(lasted < 2_000_000_000L, "lasted " + lasted);
    port.await(0);
  }

  @Test
  void anAddressInUseIsNamedWithAFreeOne() {
    open(options(LEFT));
    VerbsException refused =
        assertThrows(VerbsException.class, () -> provider().open(options(LEFT)));
    assertEquals(Errno.EADDRINUSE, refused.errno());
    String remedy = refused.remedy();
    assertTrue(remedy.contains("127.0.0.1:" + udpPort), remedy);
    Optional<String> free =
        Pattern.compile("127\\.0\\.0\\.(?!1\\b)\\d+")
            .matcher(remedy)
            .results()
            .map(MatchResult::group)
            .findFirst();
    assertTrue(free.isPresent(), remedy);
    open(options(Gid.parse(free.get())));
  }

  @Test
  void aFailedOpenLeavesNothingBound() {
    Port taken = open(options(RIGHT));
    assertThrows(VerbsException.class, () -> provider().open(options(LEFT, RIGHT)));
    taken.close();
    open(options(LEFT, RIGHT));
  }

  @Test
  void aForeignAddressIsRefusedAndOursAreNamed() {
    VerbsException refused =
        assertThrows(VerbsException.class, () -> provider().open(options(Gid.parse("192.0.2.1"))));
    assertEquals(Errno.EADDRNOTAVAIL, refused.errno());
    assertTrue(refused.remedy().contains("127.0.0.1"), refused.remedy());
  }

  @Test
  void closingTwiceIsHarmlessAndFreesTheAddress() {
    Port port = open(options(LEFT));
    port.close();
    port.close();
    assertEquals(0, port.receive(in -> {}, 8));
    port.await(PATIENCE_NS);
    port.wakeup();
    Transmit train = train(port);
    add(train, path(LEFT, LEFT, 0, 64), 32, 1);
    port.send(train);
    open(options(LEFT));
  }

  @Test
  void closingEndsAnAwaitInProgress() throws InterruptedException {
    Port port = provider().open(options(LEFT));
    opened.add(port);
    AtomicBoolean closing = new AtomicBoolean();
    Thread waiter =
        Thread.ofPlatform()
            .start(
                () -> {
                  port.adopt();
                  do {
                    // May return early.
                    port.await(Long.MAX_VALUE);
                  } while (!closing.get());
                });
    pause(50_000_000);
    closing.set(true);
    port.close();
    waiter.join(PATIENCE_NS / 1_000_000);
    assertFalse(waiter.isAlive());
    open(options(LEFT));
  }

  @Test
  void capturesShowEveryDatagramAsItIsOnTheWire(@TempDir java.nio.file.Path directory)
      throws IOException {
    java.nio.file.Path file = directory.resolve("both.pcapng");
    Port left = new CapturePort(open(options(LEFT)), udpPort, file, CaptureWriter.WHOLE_FRAMES);
    Transmit train = train(left);
    Path path = path(LEFT, LEFT, 0x60, 33);
    int count = 10;
    for (int i = 0; i < count; i++) {
      if (!add(train, path, 100, i)) {
        left.send(train);
        train.clear();
        add(train, path, 100, i);
      }
    }
    left.send(train);
    receive(left, count);
    left.close();
    left.close();
    Icrc icrc = new Icrc();
    PortCapabilities can = left.capabilities();
    int frames = 0;
    try (CaptureReader reader = CaptureReader.open(file)) {
      for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
        ByteBuffer bytes = frame.bytes().buffer();
        assertEquals(20 + 8 + 100, frame.originalLength());
        assertEquals(LEFT.ipv4(), bytes.getInt(12));
        assertEquals(udpPort, bytes.getShort(22) & 0xFFFF);
        assertEquals(Icrc.read(bytes, 124), icrc.ofFrame(bytes, 0, 100), "frame " + frames);
        int now = (int) (System.currentTimeMillis() / 1000);
        assertEquals(now, frame.timestampNs() / 1e9, 100, "seconds since 1970");
        boolean out = frames < count;
        assertEquals(out || can.trafficClassIn() ? 0x60 : 0, bytes.get(1) & 0xFF, "TOS");
        assertEquals(out || can.hopLimitIn() ? 33 : 64, bytes.get(8) & 0xFF, "TTL");
        frames++;
      }
    }
    assertEquals(2 * count, frames);
  }

  @Test
  void injectedDamageIsFoundByTheReceiver() {
    Port left =
        new FaultPort(
            open(options(LEFT)),
            FaultPlan.parse(
                "corrupt-icrc direction=out nth=3; corrupt-payload direction=out nth=5"));
    Port right = open(options(RIGHT));
    Transmit train = train(left);
    Path path = path(LEFT, RIGHT, 0, 64);
    for (int i = 0; i < 8; i++) {
      if (!add(train, path, 100, i)) {
        left.send(train);
        train.clear();
        add(train, path, 100, i);
      }
    }
    left.send(train);
    List<Datagram> received = receive(right, 8);
    for (int i = 0; i < 8; i++) {
      assertEquals(
          i == 2 || i == 4 ? IcrcVerdict.WRONG : IcrcVerdict.RIGHT,
          received.get(i).icrc(),
          "datagram " + i);
    }
  }

  @Test
  void membersOfAGroupReceiveWhatIsSentToIt() {
    Gid group = Gid.parse("239.255.47.91");
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    assumeTrue(right.capabilities().multicast());
    Transmit train = train(left);
    Path path = path(LEFT, group, 0, 1);
    right.join(group.high(), group.low());
    right.join(group.high(), group.low());
    right.leave(group.high(), group.low());
    add(train, path, 32, 5);
    left.send(train);
    Datagram datagram = receive(right, 1).getFirst();
    assertEquals(group, datagram.local());
    assertEquals(LEFT, datagram.source());
    assertEquals(IcrcVerdict.RIGHT, datagram.icrc());
    right.leave(group.high(), group.low());
    left.send(train);
    train.clear();
    add(train, path(LEFT, RIGHT, 0, 64), 32, 6);
    left.send(train);
    assertEquals(RIGHT, receive(right, 1).getFirst().local());
  }

  @Test
  void aDatagramToAGroupHasTheHopLimitOfItsPathAndEndsAnAwait() {
    Gid group = Gid.parse("239.255.47.92");
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    assumeTrue(right.capabilities().multicast());
    right.join(group.high(), group.low());
    right.await(1); // what the join itself wakes for is over
    right.await(1);
    Transmit train = train(left);
    for (int hopLimit : new int[] {64, 3}) {
      train.clear();
      add(train, path(LEFT, group, 0, hopLimit), 32, hopLimit);
      long start = System.nanoTime();
      left.send(train);
      right.await(PATIENCE_NS);
      assertTrue(System.nanoTime() - start < PATIENCE_NS, "the arrival woke nobody");
      Datagram datagram = receive(right, 1).getFirst();
      boolean told = right.capabilities().hopLimitIn();
      assertEquals(told ? hopLimit : Inbound.UNKNOWN, datagram.hopLimit());
    }
    right.leave(group.high(), group.low());
  }

  /** What the kernel says beside a datagram has the place again that another left empty. */
  @Test
  void trainsAreTakenApartAlsoAfterSingleDatagrams() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    Transmit train = train(left);
    Path path = path(LEFT, RIGHT, 0, 64);
    for (int round = 0; round < 20; round++) {
      train.clear();
      add(train, path, 60, 0);
      left.send(train);
      assertEquals(60, receive(right, 1).getFirst().bytes().length);
      train.clear();
      int count = 0;
      while (count < 4 && add(train, path, 60, count)) {
        count++;
      }
      left.send(train);
      for (Datagram each : receive(right, count)) {
        assertEquals(60, each.bytes().length);
        assertEquals(right.capabilities().hopLimitIn() ? 64 : Inbound.UNKNOWN, each.hopLimit());
        assertEquals(
            right.capabilities().trafficClassIn() ? 0 : Inbound.UNKNOWN, each.trafficClass());
      }
    }
  }

  /** As a device that cannot compute checksums does, or one with an IPsec policy. */
  @Test
  void aTrainThatTheKernelRefusesGoesSinglyAndIsNoError() throws IOException {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    assumeTrue(left.capabilities().maxTrain() > 1);
    refuseTrains(socketOf(LEFT));
    Path path = path(LEFT, RIGHT, 0, 64);
    Transmit train = train(left);
    Icrc icrc = new Icrc();
    for (int round = 0; round < 3; round++) {
      train.clear();
      for (int i = 0; i < 4; i++) {
        add(train, path, 60, i);
      }
      left.send(train);
      int number = 0;
      for (Datagram each : receive(right, 4)) {
        assertPayload(60, number++, each);
        ByteBuffer bytes = ByteBuffer.wrap(each.bytes());
        int sealed = icrc.ofIpv4(LEFT.ipv4(), RIGHT.ipv4(), udpPort, udpPort, 0, bytes, 0, 60);
        assertEquals(Icrc.read(bytes, 56), sealed, "sent singly, each bears identification 0");
      }
    }
    assertEquals(1, left.counters().get(Counter.GSO_REFUSED), "asked again and again");
    assertEquals(0, left.counters().get(Counter.SEND_ERROR));
  }

  /** Forbids a socket to leave checksums to the device, which segmentation needs. */
  protected void refuseTrains(int descriptor) {
    throw new AssertionError("this kind of port sends trains");
  }

  /** The descriptor of the socket that is bound to an address, as the kernel tells it. */
  private int socketOf(Gid address) throws IOException {
    String bound = "%08X:%04X".formatted(Integer.reverseBytes(address.ipv4()), udpPort);
    String inode =
        Files.readAllLines(java.nio.file.Path.of("/proc/net/udp")).stream()
            .map(line -> line.strip().split("\\s+"))
            .filter(column -> column[1].equals(bound))
            .findFirst()
            .orElseThrow()[9];
    try (Stream<java.nio.file.Path> all = Files.list(java.nio.file.Path.of("/proc/self/fd"))) {
      for (java.nio.file.Path descriptor : (Iterable<java.nio.file.Path>) all::iterator) {
        if (Files.exists(descriptor, LinkOption.NOFOLLOW_LINKS)
            && Files.readSymbolicLink(descriptor).toString().equals("socket:[" + inode + "]")) {
          return Integer.parseInt(descriptor.getFileName().toString());
        }
      }
    }
    throw new AssertionError("no descriptor of " + bound);
  }

  /** Whoever can make a device answer to many addresses must not make it remember them all. */
  @ParameterizedTest
  @ValueSource(strings = {"seed=1", "mark-ecn direction=out"})
  void fewPathsAreRemembered(String faults) {
    Port port = new FaultPort(open(options(LEFT)), FaultPlan.parse(faults));
    Transmit train = train(port);
    List<WeakReference<Path>> paths = new ArrayList<>();
    for (int i = 0; i < 3 * MOST_PATHS; i++) {
      Path path = path(LEFT, Gid.ofIpv4(0x7f10_0000 + i), 0, 64);
      paths.add(new WeakReference<>(path));
      train.clear();
      add(train, path, 32, i);
      port.send(train);
    }
    long deadline = System.nanoTime() + PATIENCE_NS;
    while (alive(paths) > MOST_PATHS && System.nanoTime() - deadline < 0) {
      System.gc();
    }
    assertTrue(alive(paths) <= MOST_PATHS, () -> alive(paths) + " paths are kept");
  }

  private static long alive(List<WeakReference<Path>> paths) {
    return paths.stream().filter(path -> path.get() != null).count();
  }

  @Test
  void joiningWhatIsNoGroupIsRefused() {
    Port port = open(options(LEFT));
    assumeTrue(port.capabilities().multicast());
    VerbsException refused =
        assertThrows(VerbsException.class, () -> port.join(RIGHT.high(), RIGHT.low()));
    assertEquals(Errno.EINVAL, refused.errno());
  }

  private static void pause(long ns) {
    LockSupport.parkNanos(ns);
  }
}
