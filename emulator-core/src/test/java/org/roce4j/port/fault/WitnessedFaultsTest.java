package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.FaultWitness;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.Port;
import org.roce4j.port.PortAround;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

/**
 * A fault port informs the port below of the fault of the datagram that was sent or received last.
 * A late text would belong to another datagram.
 */
class WitnessedFaultsTest {
  private static final Gid A = Gid.parse("10.0.0.1");
  private static final Gid B = Gid.parse("10.0.0.2");

  @AutoClose private final Fabric fabric = new Fabric(FabricOptions.of(1));
  private final Port far = fabric.attach(List.of(B));
  private final Witness near = new Witness(fabric.attach(List.of(A)));

  /** Records PSNs, each followed by its fault, and the PSNs that were lost. */
  private static final class Witness extends PortAround implements FaultWitness {
    private final List<String> notes = new ArrayList<>();

    Witness(Port port) {
      super(port);
    }

    @Override
    public void send(Transmit train) {
      int at = 0;
      for (int k = 0; k < train.segments(); k++) {
        notes.add(psn(train.buffer(), at));
        at += train.sizeOf(k);
      }
      super.send(train);
    }

    @Override
    public int receive(DatagramSink sink, int budget) {
      return super.receive(
          in -> {
            notes.add(psn(in.buffer(), in.at()));
            sink.datagram(in);
          },
          budget);
    }

    private static String psn(ByteBuffer buffer, int at) {
      return Integer.toString(Bth.psn(buffer, at));
    }

    @Override
    public void befell(String fate) {
      notes.add(notes.removeLast() + " [" + fate + "]");
    }

    @Override
    public void lost(Path path, ByteBuffer buffer, int at, int length, String fate) {
      notes.add(psn(buffer, at) + " is [" + fate + "]");
    }
  }

  private static void send(Port port, Gid from, Gid to) {
    Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), 4);
    Path path = new Path(0, from.high(), from.low(), to.high(), to.low(), 0, 64);
    for (int i = 0; i < 4; i++) {
      NumberedDatagrams.addPacket(train, path, 64, Opcode.RC_SEND_ONLY.code(), 17, i);
    }
    port.send(train);
  }

  private String notes(String end, String plan) {
    Port faults = new FaultPort(near, FaultPlan.parse(plan));
    if (end.equals("out")) {
      send(faults, A, B);
    } else {
      send(far, B, A);
    }
    for (int i = 0; i < 4; i++) {
      fabric.run(1_000_000);
      faults.receive(in -> {}, 8);
    }
    return String.join(", ", near.notes).replaceAll(" \\([^)]*\\)", "");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mark-ecn nth=9          | 0, 1, 2, 3",
        "drop nth=2              | 0, 1 is [lost by rule 1], 2, 3",
        "mark-ecn nth=2          | 0, 1 [marked CE by rule 1], 2, 3",
        "truncate=8 nth=2        | 0, 1 [cut by 8 bytes by rule 1], 2, 3",
        "duplicate nth=2         | 0, 1 [duplicated by rule 1], 1 [duplicated by rule 1], 2, 3",
        "corrupt-icrc nth=2      | 0, 1 [damaged by rule 1], 2, 3",
        "corrupt-icrc nth=2; mark-ecn nth=2 | 0, 1 [marked CE by rule 2; damaged by rule 1], 2, 3",
        "delay=1ms nth=2         | 0, 2, 3, 1 [held back for 1ms by rule 1]",
        "delay=1ms nth=2; corrupt-icrc nth=2"
            + " | 0, 2, 3, 1 [held back for 1ms by rule 1; damaged by rule 2]",
        "delay=1ms nth=2; delay=1ms nth=3"
            + " | 0, 3, 1 [held back for 1ms by rule 1], 2 [held back for 1ms by rule 2]",
        "corrupt-icrc probability=0.000001 nth=2; mark-ecn nth=9 | 0, 1, 2, 3",
        "drop nth=2; drop nth=3  | 0, 1 is [lost by rule 1], 2 is [lost by rule 2], 3",
        "mark-ecn nth=2; mark-ecn nth=3 | 0, 1 [marked CE by rule 1], 2 [marked CE by rule 2], 3",
      })
  void sent(String plan, String notes) {
    assertEquals(notes, notes("out", plan));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mark-ecn nth=9          | 0, 1, 2, 3",
        "drop nth=2              | 0, 1 [lost by rule 1], 2, 3",
        "mark-ecn nth=2          | 0, 1 [marked CE by rule 1], 2, 3",
        "truncate=8 nth=2        | 0, 1 [cut by 8 bytes by rule 1], 2, 3",
        "duplicate nth=2         | 0, 1 [duplicated by rule 1], 2, 3",
        "corrupt-icrc nth=2      | 0, 1 [damaged by rule 1], 2, 3",
        "delay=1ms nth=2         | 0, 1 [held back for 1ms by rule 1], 2, 3",
        "corrupt-icrc probability=0.000001 nth=2 | 0, 1, 2, 3",
        "drop nth=2; drop nth=3  | 0, 1 [lost by rule 1], 2 [lost by rule 2], 3",
        "mark-ecn nth=2; mark-ecn nth=3 | 0, 1 [marked CE by rule 1], 2 [marked CE by rule 2], 3",
        "truncate=8 nth=2; mark-ecn nth=2; delay=1ms nth=2 | 0, 1 [held back for 1ms by rule 3, cut"
            + " by 8 bytes by rule 1, marked CE by rule 2], 2, 3",
      })
  void received(String plan, String notes) {
    assertEquals(notes, notes("in", plan));
  }

  @Test
  void aForgedPacketIsSentBeforeTheOneThatTellsOfIt() {
    assertEquals(
        "0, 9, 1 [behind a forged packet by rule 1], 2, 3", notes("out", "forge-ack=8 nth=2"));
  }
}
