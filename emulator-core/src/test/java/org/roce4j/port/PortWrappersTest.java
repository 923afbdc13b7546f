package org.roce4j.port;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.capture.CaptureFile;
import org.roce4j.port.capture.CapturePort;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultPort;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.capture.CaptureExtent;
import org.roce4j.wire.capture.CaptureReader;
import org.roce4j.wire.capture.CapturedFrame;

/** The decorators of a port: each changes only what it must and passes everything else on. */
class PortWrappersTest {
  /** The methods that a wrapper may change. */
  private static final Set<String> DATA = Set.of("receive", "send", "await");

  private static final PortCapabilities CAPABILITIES =
      new PortCapabilities("played", true, 8, IdentificationRule.ZERO, true, true, true, true);

  private static final int TRAIN_BYTES = 32;

  private final List<String> asked = new ArrayList<>();
  private final Deque<Integer> waiting = new ArrayDeque<>();
  private final Counters counters = new Counters();
  private long nowNs;
  private boolean fieldsAreRead;
  private final List<Integer> taken = new ArrayList<>();
  private final Port port =
      (Port)
          Proxy.newProxyInstance(
              Port.class.getClassLoader(),
              new Class<?>[] {Port.class},
              (proxy, m, a) -> plays(m, a));
  @TempDir Path directory;

  private Object plays(Method method, Object[] arguments) {
    asked.add(method.getName() + (arguments == null ? "" : Arrays.toString(arguments)));
    return switch (method.getName()) {
      case "receive" -> receives((DatagramSink) arguments[0], (int) arguments[1]);
      case "counters" -> counters;
      case "capabilities" -> CAPABILITIES;
      case "nowNs", "receivedNs" -> nowNs;
      default -> null;
    };
  }

  private int receives(DatagramSink sink, int budget) {
    int count = 0;
    fieldsAreRead = sink.readsNetworkFields();
    if (!waiting.isEmpty()) {
      sink.expectTrain(ByteBuffer.allocateDirect(TRAIN_BYTES), 0, 16, TRAIN_BYTES);
    }
    while (count < budget && !waiting.isEmpty()) {
      ByteBuffer packet = ByteBuffer.allocateDirect(16).putInt(0, waiting.poll());
      sink.datagram(new Inbound().payload(packet, MemorySegment.ofBuffer(packet), 0, 16));
      count++;
    }
    return count;
  }

  private void takes(Inbound inbound) {
    taken.add(inbound.buffer().getInt(inbound.at()));
  }

  private static Transmit train(int datagrams) {
    return train(datagrams, 0xffff_0a00_0002L);
  }

  private static Transmit train(int datagrams, long to) {
    Transmit train = new Transmit(ByteBuffer.allocateDirect(16 * datagrams), datagrams);
    var path = new org.roce4j.engine.datagram.Path(0, 0, 0xffff_0a00_0001L, 0, to, 0, 64);
    for (int i = 0; i < datagrams; i++) {
      train.buffer().putInt(train.claim(path, 0, 16), i);
      train.commit(16);
    }
    return train;
  }

  static Stream<Arguments> wrappers() {
    return Stream.of(
        wrapper("bare", p -> new PortAround(p) {}),
        wrapper("switch", PortSwitch::new),
        wrapper("switch with a silent address", PortWrappersTest::silencing),
        wrapper("faults", p -> new FaultPort(p, FaultPlan.NONE)),
        wrapper("marks", p -> new FaultPort(p, FaultPlan.parse("mark-ecn"))),
        wrapper("capture", PortWrappersTest::capturing));
  }

  private static Port silencing(Port port) {
    PortSwitch wrapped = new PortSwitch(port);
    wrapped.silence(Set.of(Gid.parse("10.9.9.9")));
    return wrapped;
  }

  private static Port capturing(Port port) {
    try {
      Path file = Files.createTempFile("wrapped", ".pcap");
      file.toFile().deleteOnExit();
      return new CapturePort(port, 4791, file, 65535);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Arguments wrapper(String name, UnaryOperator<Port> around) {
    return Arguments.of(name, around);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("wrappers")
  void everythingButDataIsPassedOn(String name, UnaryOperator<Port> around) throws Exception {
    Port wrapped = around.apply(port);
    for (Method method : Port.class.getMethods()) {
      if (!DATA.contains(method.getName())) {
        asked.clear();
        Object[] arguments = new Object[method.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
          arguments[i] = argument(method.getParameterTypes()[i], i);
        }
        method.invoke(wrapped, arguments);
        String call = method.getName() + (arguments.length == 0 ? "" : Arrays.toString(arguments));
        assertTrue(asked.contains(call), () -> call + " is not passed on: " + asked);
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("wrappers")
  void aThreadSleepsInThePortBelow(String name, UnaryOperator<Port> around) {
    Port wrapped = around.apply(port);
    asked.clear();
    wrapped.await(5);
    assertTrue(asked.contains("await[5]"), asked::toString);
  }

  private static Object argument(Class<?> type, int index) {
    return type == Gid.class ? Gid.ofIpv4(17 + index) : (Object) (17L + index);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("wrappers")
  void aSinkHearsOfTrainsAndDatagrams(String name, UnaryOperator<Port> around) {
    Port wrapped = around.apply(port);
    List<Integer> expected = new ArrayList<>();
    waiting.addAll(List.of(1, 2));
    int count =
        wrapped.receive(
            new DatagramSink() {
              @Override
              public void datagram(Inbound inbound) {
                takes(inbound);
              }

              @Override
              public void expectTrain(ByteBuffer buffer, int at, int segmentSize, int length) {
                expected.add(length);
              }
            },
            8);
    assertEquals(2, count);
    assertEquals(List.of(1, 2), taken);
    assertEquals(List.of(TRAIN_BYTES), expected);
  }

  /** A switch reads no TOS and TTL itself; what writes a capture or delays datagrams does. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("wrappers")
  void aWrapperThatDoesNotReadNetworkFieldsAsksItsSink(String name, UnaryOperator<Port> around) {
    Port wrapped = around.apply(port);
    wrapped.receive(sinkThatReads(false), 1);
    assertEquals(wrapped instanceof TappedPort, fieldsAreRead);
    wrapped.receive(sinkThatReads(true), 1);
    assertTrue(fieldsAreRead);
  }

  private static DatagramSink sinkThatReads(boolean fields) {
    return new DatagramSink() {
      @Override
      public void datagram(Inbound inbound) {}

      @Override
      public boolean readsNetworkFields() {
        return fields;
      }
    };
  }

  /** Paths come and go; a wrapper's memory of each is released in the end. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("wrappers")
  void noPathIsRememberedForEver(String name, UnaryOperator<Port> around) {
    Port wrapped = around.apply(port);
    List<WeakReference<Object>> sent = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      Transmit train = train(1, 0xffff_0b00_0000L + i);
      sent.add(new WeakReference<>(train.path()));
      wrapped.send(train);
    }
    asked.clear();
    long end = System.nanoTime() + 10_000_000_000L;
    while (left(sent) > 2000 && System.nanoTime() - end < 0) {
      System.gc();
    }
    assertTrue(left(sent) <= 2000, () -> left(sent) + " of 5000 paths are held");
  }

  private static long left(List<WeakReference<Object>> references) {
    return references.stream().filter(each -> each.get() != null).count();
  }

  @Test
  void aSinkThatThrowsIsForgottenToo() {
    TappedPort tapped =
        new TappedPort(port) {
          @Override
          protected void received(Inbound inbound) {
            handOver(inbound);
          }
        };
    waiting.add(1);
    assertThrows(
        IllegalStateException.class,
        () ->
            tapped.receive(
                inbound -> {
                  assertTrue(tapped.receiving());
                  throw new IllegalStateException("of the sink");
                },
                8));
    assertFalse(tapped.receiving());
  }

  @Test
  void aPortThatIsDownSendsNothingAndCountsEachDatagram() {
    PortSwitch down = new PortSwitch(port);
    down.up(false);
    down.send(train(3));
    assertEquals(3, counters.get(Counter.SEND_ERROR));
    assertEquals(List.of("counters"), asked);
  }

  @Test
  void whatArrivesWhileItIsDownIsLostWhetherSomebodyLookedMeanwhileOrNot() {
    PortSwitch port = new PortSwitch(this.port);
    waiting.add(1);
    port.up(false);
    assertEquals(0, port.receive(this::takes, 8));
    waiting.addAll(List.of(2, 3, 4));
    port.up(true);
    assertEquals(0, port.receive(this::takes, 2));
    waiting.add(5);
    assertEquals(1, port.receive(this::takes, 2));
    assertEquals(List.of(5), taken);
  }

  @Test
  void nobodyWaitsLongerThanForWhatIsKeptBack() {
    FaultPort faults = new FaultPort(port, FaultPlan.parse("delay=1ms nth=1; delay=5ms nth=2"));
    nowNs = 1000;
    faults.await(77);
    waiting.addAll(List.of(1, 2));
    assertEquals(0, faults.receive(this::takes, 8));
    faults.await(Long.MAX_VALUE);
    nowNs += 400_000;
    faults.await(Long.MAX_VALUE);
    faults.await(50);
    nowNs += 600_000;
    faults.await(Long.MAX_VALUE);
    assertEquals(1, faults.receive(this::takes, 8));
    faults.await(Long.MAX_VALUE);
    assertEquals(
        List.of(77L, 1_000_000L, 600_000L, 50L, 0L, 4_000_000L),
        asked.stream()
            .filter(call -> call.startsWith("await"))
            .map(call -> Long.valueOf(call.replaceAll("\\D", "")))
            .toList());
  }

  /** Not every port reports the traffic class of received datagrams. */
  @Test
  void aMarkIsSeenWhereTheTrafficClassIsHidden() {
    waiting.add(1);
    List<Integer> classes = new ArrayList<>();
    new FaultPort(port, FaultPlan.parse("mark-ecn"))
        .receive(inbound -> classes.add(inbound.trafficClass()), 8);
    assertEquals(List.of(3), classes);
  }

  @Test
  void whenABatchCameThePortSays() {
    new PortSwitch(port).receivedNs();
    assertEquals(List.of("receivedNs"), asked);
  }

  @Test
  void aCaptureKeepsSoMuchOfAPacketAndSaysHowLongItWas() throws Exception {
    Path file = directory.resolve("cut.pcap");
    try (Port capturing = new CapturePort(port, 4791, file, 30)) {
      capturing.send(train(2));
    }
    ByteBuffer captured = ByteBuffer.wrap(Files.readAllBytes(file)).order(LITTLE_ENDIAN);
    int record = 16 + 30;
    assertEquals(24 + 2 * record, captured.limit());
    for (int i = 0; i < 2; i++) {
      assertEquals(30, captured.getInt(24 + i * record + 8), "bytes kept");
      assertEquals(20 + 8 + 16, captured.getInt(24 + i * record + 12), "bytes there were");
    }
  }

  @Test
  void aCaptureOfSeveralPortsGoesOnUntilTheLastIsClosed() throws Exception {
    Path file = directory.resolve("both.pcap");
    CaptureFile capture = new CaptureFile(file, "", 65535, CaptureExtent.ALL, 2);
    Port first = new CapturePort(port, 4791, capture, java.time.Clock.systemUTC());
    Port second = new CapturePort(port, 4791, capture, java.time.Clock.systemUTC());
    first.send(train(1));
    first.close();
    first.close();
    second.send(train(2));
    second.close();
    long record = 16 + 20 + 8 + 16;
    assertEquals(24 + 3 * record, Files.size(file));
  }

  @Test
  void aCaptureHasEachDatagramOfATrainAndCanBeReadWhileItGrows() throws Exception {
    Path file = directory.resolve("growing.pcap");
    try (Port capturing = new CapturePort(port, 4791, file, 65535)) {
      nowNs = 1_000_000_000;
      capturing.send(train(3));
      capturing.receive(this::takes, 8);
      ByteBuffer captured = ByteBuffer.wrap(Files.readAllBytes(file));
      int record = 16 + 20 + 8 + 16;
      assertEquals(24 + 3 * record, captured.limit());
      for (int i = 0; i < 3; i++) {
        assertEquals(i, captured.getInt(24 + i * record + 16 + 20 + 8));
      }
    }
  }

  @Test
  void aCaptureTellsWhenEachDatagramCame() throws Exception {
    Path file = directory.resolve("timed.pcap");
    CaptureFile capture = new CaptureFile(file, "", 65535, CaptureExtent.ALL, 1);
    nowNs = 1_000_000_000;
    Clock epoch = Clock.fixed(Instant.ofEpochSecond(1), ZoneOffset.UTC);
    try (Port capturing = new CapturePort(port, 4791, capture, epoch)) {
      for (int second = 2; second < 5; second++) {
        nowNs = second * 1_000_000_000L;
        waiting.add(second);
        assertEquals(1, capturing.receive(this::takes, 8));
      }
    }
    ByteBuffer captured = ByteBuffer.wrap(Files.readAllBytes(file)).order(LITTLE_ENDIAN);
    int record = 16 + 40 + 8 + 16; // the played datagrams have no IPv4 address
    for (int i = 0; i < 3; i++) {
      assertEquals(2 + i, captured.getInt(24 + i * record), "seconds of record " + i);
    }
  }

  /** A datagram that the fault port above keeps from the socket is in the capture. */
  @Test
  void aCaptureTellsWhatFaultsAboveItDid() throws Exception {
    Path file = directory.resolve("faults.pcapng");
    CaptureFile capture = new CaptureFile(file, "roce7", 65535, CaptureExtent.ALL, 1);
    CapturePort capturing = new CapturePort(port, 4791, capture, Clock.systemUTC());
    FaultPlan plan =
        FaultPlan.parse(
            "drop direction=out nth=2; duplicate direction=out nth=3; drop direction=in");
    try (Port faults = new FaultPort(capturing, plan)) {
      faults.send(train(4));
      waiting.add(77);
      faults.receive(this::takes, 8);
    }
    assertEquals(List.of(), taken);
    List<CapturedFrame> frames = new ArrayList<>();
    try (CaptureReader reader = CaptureReader.open(file)) {
      for (CapturedFrame next = reader.next(); next != null; next = reader.next()) {
        frames.add(next);
      }
    }
    assertEquals(
        List.of(
            "",
            "lost by rule 1 (drop direction=out nth=2)",
            "duplicated by rule 2 (duplicate direction=out nth=3)",
            "duplicated by rule 2 (duplicate direction=out nth=3)",
            "",
            "lost by rule 3 (drop direction=in)"),
        frames.stream().map(CapturedFrame::comment).toList());
    assertEquals(
        List.of(0, 1, 2, 2, 3),
        frames.stream().limit(5).map(frame -> frame.bytes().buffer().getInt(28)).toList());
    assertEquals("roce7", frames.getFirst().interfaceName());
  }
}
