package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.FabricPort;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.Port;
import org.roce4j.verbs.Gid;

/** Faults meet datagrams of one sender, which their receiver asks for again and again. */
class FaultyArrivalsTest {
  private static final Gid A = Gid.parse("10.0.0.1");
  private static final Gid B = Gid.parse("10.0.0.2");
  private static final int SIZE = 80;

  @AutoClose private final Fabric fabric = new Fabric(FabricOptions.of(1));
  private final FabricPort sender = fabric.attach(List.of(A));
  private final FabricPort receiver = fabric.attach(List.of(B));
  private final List<Integer> psns = new ArrayList<>();
  private final DatagramSink sink = in -> psns.add(in.buffer().getInt(in.at() + 8) & 0xFFFFFF);

  private FaultPort under(String rule) {
    return new FaultPort(receiver, FaultPlan.parse(rule));
  }

  private void arrive(int psn) {
    Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), 1);
    Path path = new Path(0, A.high(), A.low(), B.high(), B.low(), 0, 33);
    NumberedDatagrams.addPacket(train, path, SIZE, 0x04, 17, psn);
    sender.send(train);
    while (fabric.step()) {
      // Until it has arrived.
    }
  }

  @Test
  void whatIsReorderedWaitsForAnArrivalThatIsTakenLater() {
    FaultPort port = under("reorder=1 psn=0");
    arrive(0);
    port.receive(sink, 10);
    assertEquals(List.of(), psns);
    arrive(1);
    port.receive(sink, 10);
    assertEquals(List.of(1, 0), psns);
  }

  @Test
  void whatIsReleasedTakesNoTurnFromANewArrival() {
    FaultPort port = under("delay=1ms psn=0");
    arrive(0);
    port.receive(sink, 1);
    fabric.run(1_000_000);
    arrive(1);
    port.receive(sink, 1);
    assertEquals(List.of(0, 1), psns);
  }

  @Test
  void whatIsHeldBackIsReleasedAfterAReceiverHasThrown() {
    FaultPort port = under("delay=1ms psn=0");
    arrive(0);
    port.receive(sink, 10);
    arrive(1);
    DatagramSink failing =
        _ -> {
          throw new IllegalStateException("a receiver that fails");
        };
    assertThrows(IllegalStateException.class, () -> port.receive(failing, 10));
    fabric.run(1_000_000);
    port.receive(sink, 10);
    assertEquals(List.of(0), psns);
  }

  @Test
  void whereThePayloadIsDamagedNothingElseChanges() {
    byte[] bytes = arrived(receiver);
    byte[] damaged = arrived(under("corrupt-payload=" + SIZE));
    for (int i = 0; i < SIZE; i++) {
      assertEquals(i >= 12 && i < SIZE - 4, bytes[i] != damaged[i], "byte " + i);
    }
  }

  private byte[] arrived(Port port) {
    arrive(0);
    List<byte[]> came = new ArrayList<>();
    port.receive(in -> came.add(NumberedDatagrams.Datagram.of(in).bytes()), 1);
    return came.getFirst();
  }
}
