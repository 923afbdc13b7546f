package org.roce4j.port;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

/**
 * A row of fault-cases.txt: a rule, and the arrivals of ten numbered datagrams under it.
 *
 * @param arrivals the arrivals, separated by blanks
 */
public record FaultCase(String rule, String arrivals) {
  /** The number of datagrams sent. */
  public static final int COUNT = 10;

  private static final int SIZE = 64;
  private static final int CONGESTION_EXPERIENCED = 3;

  /** The rows, at least one for each fault. */
  public static List<FaultCase> all() {
    try (InputStream in =
        Objects.requireNonNull(FaultCase.class.getResourceAsStream("/fault-cases.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .skip(1)
          .map(line -> line.split("\\|"))
          .map(cells -> new FaultCase(cells[0].strip(), cells[1].strip()))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The rule as a plan for datagrams that the plan's end sends. */
  public FaultPlan plan() {
    return FaultPlan.parse("seed=1; " + rule + " direction=out");
  }

  /** The fault of the rule. */
  public FaultAction action() {
    return plan().rules().getFirst().action();
  }

  /** The number of arrivals. */
  public int count() {
    return arrivals.split(" ").length;
  }

  /** The expected arrivals at a port; some ports do not report the mark of congestion. */
  public String arrivals(PortCapabilities receiver) {
    return receiver.trafficClassIn() ? arrivals : arrivals.replace("ce", "");
  }

  /** Sends the ten datagrams, in trains as long as the port allows. */
  public static void sendTen(Port port, Path path) {
    Transmit train =
        new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), port.capabilities().maxTrain());
    for (int i = 0; i < COUNT; i++) {
      int opcode = Opcode.RC_SEND_ONLY.code();
      if (!NumberedDatagrams.addPacket(train, path, SIZE, opcode, 17, i)) {
        port.send(train);
        train.clear();
        NumberedDatagrams.addPacket(train, path, SIZE, opcode, 17, i);
      }
    }
    port.send(train);
  }

  /** A datagram in the notation of the table. */
  public static String told(Inbound in) {
    if (!in.icrc().acceptable()) {
      return "!";
    }
    ByteBuffer b = in.buffer();
    int at = in.at();
    int psn = Bth.psn(b, at);
    if (Bth.opcode(b, at) == Opcode.CNP.code()) {
      return "cnp";
    }
    if (Bth.opcode(b, at) == Opcode.RC_ACKNOWLEDGE.code()) {
      int syndrome = Aeth.syndrome(b, at + Bth.SIZE);
      String kind =
          Aeth.isAck(syndrome)
              ? "ack"
              : (Aeth.isRnrNak(syndrome) ? "rnr" : "nak") + Aeth.value(syndrome);
      return kind + "@" + psn;
    }
    String cut = in.length() == SIZE ? "" : "-" + (SIZE - in.length());
    boolean marked = (in.trafficClass() & CONGESTION_EXPERIENCED) == CONGESTION_EXPERIENCED;
    return psn + cut + (in.trafficClass() >= 0 && marked ? "ce" : "");
  }

  /** The arrivals at a port until the expected number has arrived, and nothing after. */
  public String received(Port port, Runnable between) {
    List<String> arrived = new ArrayList<>();
    long deadlineNs = System.nanoTime() + 60_000_000_000L;
    while (arrived.size() < count() && System.nanoTime() - deadlineNs < 0) {
      between.run();
      if (port.receive(in -> arrived.add(told(in)), 256) == 0) {
        port.await(1_000_000);
      }
    }
    between.run();
    port.receive(in -> arrived.add(told(in)), 256);
    return String.join(" ", arrived);
  }

  @Override
  public String toString() {
    return rule;
  }
}
