package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.port.NumberedDatagrams.add;
import static org.roce4j.port.NumberedDatagrams.path;
import static org.roce4j.port.NumberedDatagrams.receive;
import static org.roce4j.port.NumberedDatagrams.train;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.NumberedDatagrams.Datagram;
import org.roce4j.port.capture.CapturePort;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultPort;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.capture.CaptureReader;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.CapturedFrame;

/** A port behind a capture or a fault plan. */
interface DecoratedPortContract extends PortsUnderTest {
  /** Most unused paths that a port may remember. */
  int MOST_PATHS = 2048;

  @Test
  default void capturesShowEveryDatagramAsItIsOnTheWire(@TempDir java.nio.file.Path directory)
      throws IOException {
    java.nio.file.Path file = directory.resolve("both.pcapng");
    Port left = new CapturePort(open(options(LEFT)), udpPort(), file, CaptureWriter.WHOLE_FRAMES);
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
        assertEquals(udpPort(), bytes.getShort(22) & 0xFFFF);
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

  @ParameterizedTest
  @MethodSource("org.roce4j.port.FaultCase#all")
  default void faultsDoWhatTheTableSays(FaultCase row) {
    FaultPort left = new FaultPort(open(options(LEFT)), row.plan());
    Port right = open(options(RIGHT));
    FaultCase.sendTen(left, path(LEFT, RIGHT, 0, 64));
    String arrived = row.received(right, () -> left.receive(in -> {}, 1));
    assertEquals(row.arrivals(right.capabilities()), arrived);
  }

  @Test
  default void injectedDamageIsFoundByTheReceiver() {
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

  /** A peer that makes a device answer to many addresses must not make it remember them all. */
  @ParameterizedTest
  @ValueSource(strings = {"seed=1", "mark-ecn direction=out"})
  default void fewPathsAreRemembered(String faults) {
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
}
