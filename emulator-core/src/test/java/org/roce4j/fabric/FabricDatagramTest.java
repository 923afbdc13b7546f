package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Gid;

/** The fields of a datagram that an observer reads, by each accessor. */
class FabricDatagramTest {
  /** The copy of a datagram that the network duplicates tells the same. */
  @ParameterizedTest
  @CsvSource({"10.0.0.1, 10.0.0.2, 128", "fd00:1::1, fd00:2::2, 148"})
  void tellsWhatWasSent(String from, String to, int packetBytes) {
    List<Object> told = new ArrayList<>();
    Fabric fabric = new Fabric(FabricOptions.of(1));
    fabric.faults(FaultPlan.parse("duplicate"), null);
    fabric.tap(
        new FabricObserver() {
          @Override
          public void delivered(long nowNs, FabricDatagram datagram) {
            told.add(fields(datagram, nowNs));
          }
        });
    try (FabricPeer sender = new FabricPeer(fabric, from);
        FabricPeer receiver = new FabricPeer(fabric, to)) {
      sender.sendFrom(0xC777, receiver.gid(), 7, 100);
      FabricTest.drain(fabric);
      Gid source = sender.gid();
      Gid destination = receiver.gid();
      List<Object> sent =
          List.of(
              source,
              source,
              destination,
              destination,
              destination,
              100,
              packetBytes,
              packetBytes,
              7,
              0xC777,
              0x62,
              64,
              0L);
      assertEquals(List.of(sent, sent), told);
    }
  }

  private static List<Object> fields(FabricDatagram datagram, long nowNs) {
    return List.of(
        datagram.source(),
        new Gid(datagram.sourceHigh(), datagram.sourceLow()),
        datagram.destination(),
        new Gid(datagram.destinationHigh(), datagram.destinationLow()),
        datagram.receiver(),
        datagram.length(),
        datagram.packetBytes(),
        datagram.packet().length(),
        datagram.buffer().getInt(datagram.at() + 8),
        datagram.sourcePort(),
        datagram.trafficClass(),
        datagram.hopLimit(),
        datagram.arrivalNs() - nowNs);
  }
}
