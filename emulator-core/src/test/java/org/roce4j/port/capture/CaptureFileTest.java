package org.roce4j.port.capture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.roce4j.device.Refusals.refused;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.Port;
import org.roce4j.port.PortAround;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultPort;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Bth;
import org.roce4j.wire.capture.CaptureExtent;
import org.roce4j.wire.capture.CaptureReader;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.CapturedFrame;

/** The file of a port's packets: times, comments, lengths, and how long it is written. */
class CaptureFileTest {
  private static final Gid A = Gid.parse("10.0.0.1");
  private static final Gid B = Gid.parse("10.0.0.2");
  private static final int SIZE = 64;
  private static final int HEADERS = 28;
  private static final long FLUSH_NS = 200_000_000;

  /** The real time when the ports are made. */
  private static final long BEGAN_NS = 1_000_000_000_500L;

  @TempDir private Path directory;
  @AutoClose private final Fabric fabric = new Fabric(FabricOptions.of(1));

  private Path file() {
    return directory.resolve("port.pcapng");
  }

  private CaptureFile create(int snapLength, int users) {
    return new CaptureFile(file(), "roce0", snapLength, CaptureExtent.ALL, users);
  }

  private static CapturePort capturing(Port port, CaptureFile file) {
    Instant began = Instant.ofEpochSecond(BEGAN_NS / 1_000_000_000, BEGAN_NS % 1_000_000_000);
    return new CapturePort(port, 4791, file, Clock.fixed(began, ZoneOffset.UTC));
  }

  private CapturePort capturing(Gid address) {
    return capturing(fabric.attach(List.of(address)), create(CaptureWriter.WHOLE_FRAMES, 1));
  }

  private static void send(Port port, Gid from, Gid to, int count, int size) {
    Transmit train =
        new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), Transmit.MAX_SEGMENTS);
    var path = NumberedDatagrams.path(from, to, 0x68, 33);
    for (int i = 0; i < count; i++) {
      NumberedDatagrams.addPacket(train, path, size, 0x04, 17, i);
    }
    port.send(train);
  }

  private static int receive(Port port) {
    return port.receive(_ -> {}, 8);
  }

  private List<CapturedFrame> frames() throws IOException {
    List<CapturedFrame> frames = new ArrayList<>();
    try (CaptureReader reader = CaptureReader.open(file())) {
      for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
        frames.add(frame);
      }
    }
    return frames;
  }

  /** What is received in one call came at one time. */
  @Test
  void aPacketHasTheTimeAtWhichItCameOrWent() throws IOException {
    fabric.run(700);
    try (CapturePort capture = capturing(A)) {
      Port far = fabric.attach(List.of(B));
      fabric.run(1_000);
      send(capture, A, B, 2, SIZE);
      send(far, B, A, 2, SIZE);
      fabric.run(5_000);
      assertEquals(2, receive(capture));
      send(far, B, A, 1, SIZE);
      fabric.run(4_000);
      assertEquals(1, receive(capture));
    }
    assertEquals(
        List.of(1_000L, 1_000L, 6_000L, 6_000L, 10_000L),
        frames().stream().map(frame -> frame.timestampNs() - BEGAN_NS).toList());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, HEADERS, HEADERS + 1, 50, HEADERS + SIZE, HEADERS + SIZE + 1})
  void aPacketIsCutAtTheSnapLength(int snapLength) throws IOException {
    Port port = fabric.attach(List.of(A));
    try (CapturePort capture = capturing(port, create(snapLength, 1))) {
      send(capture, A, B, 2, SIZE);
    }
    for (CapturedFrame frame : frames()) {
      assertEquals(HEADERS + SIZE, frame.originalLength());
      assertEquals(Math.min(snapLength, HEADERS + SIZE), frame.bytes().length());
    }
    List<CapturedFrame> frames = frames();
    assertEquals(2, frames.size());
    for (int i = 0; snapLength > HEADERS + Bth.SIZE && i < 2; i++) {
      assertEquals(i, Bth.psn(frames.get(i).bytes().buffer(), HEADERS));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "out, drop nth=1; mark-ecn nth=2, lost by rule 1 (drop nth=1)",
    "in, drop nth=1; mark-ecn nth=2, lost by rule 1 (drop nth=1)",
  })
  void aPacketTellsWhatBefellIt(String end, String plan, String first) throws IOException {
    CapturePort capture = capturing(A);
    Port far = fabric.attach(List.of(B));
    try (Port faults = new FaultPort(capture, FaultPlan.parse(plan))) {
      if (end.equals("out")) {
        send(faults, A, B, 3, SIZE);
      } else {
        send(far, B, A, 3, SIZE);
        fabric.run(5_000);
        receive(faults);
      }
    }
    assertEquals(
        List.of(first, "marked CE by rule 2 (mark-ecn nth=2)", ""),
        frames().stream().map(CapturedFrame::comment).toList());
  }

  /** A datagram that a fault takes has no room for an ICRC. */
  @Test
  void whatIsTooShortForAnIcrcIsNotSealed() throws IOException {
    CapturePort capture = capturing(A);
    byte[] sent = {1, 2, 3, 4};
    try (Port faults = new FaultPort(capture, FaultPlan.parse("drop"))) {
      Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), 1);
      train.claim(NumberedDatagrams.path(A, B, 0, 64), 0, sent.length);
      train.buffer().put(0, sent);
      train.commit(sent.length);
      faults.send(train);
    }
    ByteBuffer frame = frames().getFirst().bytes().buffer();
    byte[] kept = new byte[sent.length];
    frame.get(HEADERS, kept);
    assertArrayEquals(sent, kept);
  }

  @Test
  void aHopLimitOfZeroIsKept() throws IOException {
    Port low =
        new PortAround(fabric.attach(List.of(A))) {
          @Override
          public int receive(DatagramSink sink, int budget) {
            return port.receive(in -> sink.datagram(in.network(in.trafficClass(), 0)), budget);
          }
        };
    try (CapturePort capture = capturing(low, create(CaptureWriter.WHOLE_FRAMES, 1))) {
      send(fabric.attach(List.of(B)), B, A, 1, SIZE);
      fabric.run(5_000);
      receive(capture);
    }
    assertEquals(0, frames().getFirst().bytes().buffer().get(8), "the TTL");
  }

  /** Not with each packet, and not while packets come. */
  @Test
  void theFileIsWrittenNowAndThenWhileNothingComes() throws IOException {
    fabric.run(FLUSH_NS);
    try (CapturePort capture = capturing(A)) {
      Port far = fabric.attach(List.of(B));
      receive(capture);
      assertEquals(0, Files.size(file()), "there is nothing to write");
      send(capture, A, B, 1, SIZE);
      send(far, B, A, 1, SIZE);
      fabric.run(5_000);
      assertEquals(1, receive(capture));
      assertEquals(0, Files.size(file()), "a packet came");
      receive(capture);
      assertEquals(2, frames().size());
      send(capture, A, B, 1, SIZE);
      fabric.run(FLUSH_NS - 1);
      receive(capture);
      assertEquals(2, frames().size(), "it is too early");
      fabric.run(1);
      receive(capture);
      assertEquals(3, frames().size());
    }
    assertEquals(3, frames().size());
  }

  @Test
  void theLargestDatagramIsWhole() throws IOException {
    try (CapturePort capture = capturing(A)) {
      send(capture, A, B, 1, Transmit.MAX_BYTES);
    }
    CapturedFrame frame = frames().getFirst();
    assertEquals(HEADERS + Transmit.MAX_BYTES, frame.originalLength());
    assertEquals(HEADERS + Transmit.MAX_BYTES, frame.bytes().length());
  }

  @Test
  void theFileOfSeveralPortsIsCompleteWhenAllAreClosed() throws IOException {
    CaptureFile shared = create(CaptureWriter.WHOLE_FRAMES, 2);
    CapturePort first = capturing(fabric.attach(List.of(A)), shared);
    CapturePort second = capturing(fabric.attach(List.of(B)), shared);
    send(first, A, B, 1, SIZE);
    first.close();
    first.close();
    fabric.attach(List.of(A)).close(); // the address is free
    send(second, B, A, 2, SIZE);
    second.close();
    assertEquals(3, frames().size());
    send(second, B, A, 2, SIZE);
    second.befell("too late");
    receive(second);
    second.close();
    assertEquals(3, frames().size());
  }

  /** The port works on, and is closed nevertheless. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFileThatTakesNothingIsToldAtTheEnd(boolean flushed) {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "only Linux has a device that is always full");
    CaptureFile none = new CaptureFile(full, "", 65_535, CaptureExtent.ALL, 1);
    CapturePort capture = capturing(fabric.attach(List.of(A)), none);
    Port far = fabric.attach(List.of(B));
    send(capture, A, B, 30, flushed ? SIZE : 4_000);
    if (flushed) {
      fabric.run(FLUSH_NS);
      receive(capture);
    }
    send(capture, A, B, 30, 4_000);
    send(capture, A, B, 30, 4_000);
    fabric.run(5_000);
    assertTrue(receive(far) > 0);
    VerbsException e = refused(Errno.EIO, capture::close);
    assertTrue(e.remedy().startsWith("the capture /dev/full is incomplete"), e.remedy());
    fabric.attach(List.of(A)).close();
    capture.close();
  }

  /** A thread may still send over a port that another one closes. */
  @Test
  void whatComesAfterTheLastPortIsClosedIsNotWritten() throws IOException {
    CapturePort port = capturing(A);
    send(port, A, B, 1, SIZE);
    port.close();
    byte[] complete = Files.readAllBytes(file());
    send(port, A, B, 1, SIZE);
    port.befell("lost");
    assertEquals(0, port.receive(in -> {}, 8));
    assertArrayEquals(complete, Files.readAllBytes(file()));
  }

  @Test
  void aFileThatCannotBeMadeIsRefused() {
    Path nowhere = directory.resolve("none").resolve("port.pcapng");
    VerbsException e =
        refused(Errno.EIO, () -> new CaptureFile(nowhere, "", 65_535, CaptureExtent.ALL, 1));
    assertTrue(e.remedy().contains("(it cannot be made there)"), e.remedy());
  }
}
