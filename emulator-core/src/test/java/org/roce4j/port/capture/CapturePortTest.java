package org.roce4j.port.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.IcrcSealer;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.Port;
import org.roce4j.port.PortAround;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultPort;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.capture.CaptureExtent;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.Ipv6Header;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.inspect.CaptureInspector;

/** The capture has every header field of datagrams that the port knows only in part. */
class CapturePortTest {
  private static final int SIZE = 64;
  private static final int RC_SEND_ONLY = 0x04;

  @TempDir private Path directory;
  @AutoClose private final Fabric fabric = new Fabric(FabricOptions.of(1));

  private CapturePort capturing(Port port) {
    CaptureFile file = new CaptureFile(file(), "roce0", 65535, CaptureExtent.ALL, 1);
    return new CapturePort(port, 4791, file, Clock.systemUTC());
  }

  private Path file() {
    return directory.resolve("port.pcapng");
  }

  private static Transmit train(Gid from, Gid to, int datagrams) {
    Transmit train =
        new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), Transmit.MAX_SEGMENTS);
    var path = NumberedDatagrams.path(from, to, 0x68, 33);
    for (int i = 0; i < datagrams; i++) {
      NumberedDatagrams.addPacket(train, path, SIZE, RC_SEND_ONLY, 17, i);
    }
    return train;
  }

  /** {@code number source > destination class hops port icrc} of each packet of the file. */
  private List<String> told() throws IOException {
    List<String> told = new ArrayList<>();
    CaptureInspector.inspect(
        file(),
        packet -> {
          if (packet.dissection() instanceof Dissection.Roce(RocePacket roce)) {
            told.add(
                "%d %s > %s %s %d %s"
                    .formatted(
                        roce.bth().psn(),
                        roce.ip().sourceText(),
                        roce.ip().destinationText(),
                        switch (roce.ip()) {
                          case Ipv4Header v4 -> v4.tos() + " " + v4.ttl();
                          case Ipv6Header v6 -> v6.trafficClass() + " " + v6.hopLimit();
                        },
                        roce.udp().sourcePort(),
                        packet.icrc()));
          }
        });
    return told;
  }

  /** The ICRC covers the identification of each datagram of a train, which no port reports. */
  @ParameterizedTest
  @CsvSource({"10.0.0.1, 10.0.0.2", "fd00::1, fd00::2"})
  void whatArrivedIsToldAsItWasSent(String from, String to) throws IOException {
    Gid left = Gid.parse(from);
    Gid right = Gid.parse(to);
    Port sender = fabric.attach(List.of(left));
    try (Port receiver = capturing(fabric.attach(List.of(right)))) {
      sender.send(train(left, right, 3));
      while (fabric.step()) {
        // Until everything has arrived.
      }
      assertEquals(3, receiver.receive(inbound -> {}, 8));
    }
    List<String> told = told();
    assertEquals(3, told.size());
    for (int i = 0; i < 3; i++) {
      String fields = told.get(i);
      assertEquals(i + " 104 33 49443 ok", fields.replaceFirst(" [^ ]+ > [^ ]+", ""));
    }
  }

  /** The port never saw the datagram, and so never sealed it. */
  @ParameterizedTest
  @CsvSource({"10.0.0.1, 10.0.0.2", "fd00::1, fd00::2"})
  void whatFaultsTookIsSealed(String from, String to) throws IOException {
    Gid left = Gid.parse(from);
    CapturePort capture = capturing(fabric.attach(List.of(left)));
    try (Port faults = new FaultPort(capture, FaultPlan.parse("drop"))) {
      faults.send(train(left, Gid.parse(to), 2));
    }
    assertEquals(
        List.of("0 104 33 4791 ok", "1 104 33 4791 ok"),
        told().stream().map(fields -> fields.replaceFirst(" [^ ]+ > [^ ]+", "")).toList());
  }

  /** A port may send to a peer from a socket of its own. */
  @ParameterizedTest
  @CsvSource({"0, 4791", "33000, 33000"})
  void whatIsSentIsToldFromThePortThatItLeft(int sentFrom, int told) throws IOException {
    Gid left = Gid.parse("10.0.0.1");
    IcrcSealer sealer = new IcrcSealer(IdentificationRule.ZERO, 4791);
    Port sealing =
        new PortAround(fabric.attach(List.of(left))) {
          @Override
          public void send(Transmit train) {
            sealer.seal(train.path(), told, 0xBEEF, train.buffer(), 0, SIZE);
            train.sentFrom(sentFrom);
          }
        };
    try (Port sender = capturing(sealing)) {
      sender.send(train(left, Gid.parse("10.0.0.2"), 1));
    }
    assertEquals(List.of("0 10.0.0.1 > 10.0.0.2 104 33 " + told + " ok"), told());
  }

  /** Some ports report neither traffic class nor hop limit. */
  @Test
  void whatIsNotKnownIsToldAsUsual() throws IOException {
    Gid left = Gid.parse("10.0.0.1");
    Gid right = Gid.parse("10.0.0.2");
    Port sender = fabric.attach(List.of(left));
    Port silent =
        new PortAround(fabric.attach(List.of(right))) {
          @Override
          public int receive(DatagramSink sink, int budget) {
            return port.receive(
                inbound -> sink.datagram(inbound.network(Inbound.UNKNOWN, Inbound.UNKNOWN)),
                budget);
          }
        };
    try (Port receiver = capturing(silent)) {
      sender.send(train(left, right, 1));
      while (fabric.step()) {
        // Until everything has arrived.
      }
      receiver.receive(inbound -> {}, 8);
    }
    assertEquals(List.of("0 10.0.0.1 > 10.0.0.2 0 64 49443 ok"), told());
  }
}
