package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Engine;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Opcode;

/** What a reliable queue pair counts and traces at each event: the counter of that event alone. */
class CountedEventsTest {
  private static final int RNR_NAK = Aeth.rnrNak(1);

  /** Counted with every packet. */
  private static final List<Counter> TRAFFIC =
      List.of(
          Counter.RECEIVED_PACKETS,
          Counter.RECEIVED_BYTES,
          Counter.SENT_PACKETS,
          Counter.SENT_BYTES,
          Counter.SENT_TRAINS);

  private final List<String> traced = new ArrayList<>();
  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);
  private final LoneEngine lone =
      new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024, DeviceLimits.DEFAULT, new Recorder());
  private final Engine engine = lone.engine;
  private final QueuePair qp = lone.qp(QpType.RC);
  private final PlayedPeer peer = new PlayedPeer(engine, qp);
  private long nowNs = 1_000_000;

  private final class Recorder implements EngineTrace {
    @Override
    public void retransmission(int qpNum, int psn, Counter reason) {
      assertEquals(qp.qpNum(), qpNum);
      traced.add("retransmits from " + psn + ": " + reason);
    }
  }

  CountedEventsTest() {
    QpBringUp.toRts(
        qp, PlayedPeer.attributes(Mtu.MTU_1024).timeout(14).retryCnt(1).rnrRetry(1).sqPsn(5));
  }

  private void turn() {
    engine.handleDoorbells(nowNs);
    lone.packetsSent(nowNs, train);
  }

  private void sends(int requests) {
    SendRequestList list = new SendRequestList(Arena.ofAuto(), requests, 1, 0);
    for (int i = 0; i < requests; i++) {
      list.add().opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
    }
    qp.postSendOrThrow(list);
    turn();
  }

  private void receives() {
    qp.postRecvOrThrow(new RecvRequestList(Arena.ofAuto(), 1, 1).add());
    turn();
  }

  private void answers(int syndrome, int psn) {
    Opcode opcode = Opcode.RC_ACKNOWLEDGE;
    Aeth.put(peer.buffer, opcode.aethAt(), syndrome, 0);
    peer.says(nowNs, opcode, false, psn);
    turn();
  }

  private void asks(int psn) {
    peer.says(nowNs, Opcode.RC_SEND_ONLY, true, psn);
    turn();
  }

  private void timesOut() {
    nowNs = engine.nextTimeout();
    engine.handleTimeout(nowNs);
    turn();
  }

  private static Arguments row(String event, String counted, Consumer<CountedEventsTest> what) {
    return Arguments.of(event, counted, what);
  }

  static Stream<Arguments> events() {
    return Stream.of(
        row(
            "a message is acknowledged",
            "RDMA_SENDS 1, RECEIVED_ACKS 1",
            t -> {
              t.sends(1);
              t.answers(Aeth.ACK, 5);
            }),
        row(
            "a packet is missing at the peer",
            "RECEIVED_SEQUENCE_NAK 1, COMPLETER_RETRY 1, "
                + "RECEIVED_ACKS 1, RETRANSMITTED_PACKETS 2, "
                + "retransmits from 5: RECEIVED_SEQUENCE_NAK",
            t -> {
              t.sends(2);
              t.answers(Aeth.NAK_SEQUENCE, 5);
            }),
        row(
            "the peer has no receive",
            "RECEIVED_RNR 1, RECEIVED_ACKS 1, RETRANSMITTED_PACKETS 2, "
                + "retransmits from 5: RECEIVED_RNR",
            t -> {
              t.sends(2);
              t.answers(RNR_NAK, 5);
              t.timesOut();
            }),
        row(
            "the peer never has a receive",
            "RECEIVED_RNR 2, RNR_RETRY_EXCEEDED 1, "
                + "REQUESTER_CQE_ERROR 1, RECEIVED_ACKS 2, "
                + "RETRANSMITTED_PACKETS 1, retransmits from 5: RECEIVED_RNR",
            t -> {
              t.sends(1);
              t.answers(RNR_NAK, 5);
              t.timesOut();
              t.answers(RNR_NAK, 5);
            }),
        row(
            "the peer answers the second time",
            "COMPLETER_RETRY 1, RDMA_SENDS 1, RECEIVED_ACKS 1, "
                + "ACK_TIMEOUT 1, RETRANSMITTED_PACKETS 1, "
                + "retransmits from 5: ACK_TIMEOUT",
            t -> {
              t.sends(1);
              t.timesOut();
              t.answers(Aeth.ACK, 5);
            }),
        row(
            "the peer never answers",
            "RETRY_EXCEEDED 1, COMPLETER_RETRY 1, REQUESTER_CQE_ERROR 1, "
                + "ACK_TIMEOUT 2, RETRANSMITTED_PACKETS 1, "
                + "retransmits from 5: ACK_TIMEOUT",
            t -> {
              t.sends(1);
              t.timesOut();
              t.timesOut();
            }),
        row(
            "the peer finds the request invalid",
            "REQUESTER_CQE_ERROR 1, REQUESTER_CQE_FLUSHED 1, "
                + "REMOTE_INVALID_REQUEST 1, RECEIVED_ACKS 1",
            t -> {
              t.sends(2);
              t.answers(Aeth.NAK_INVALID_REQUEST, 5);
            }),
        row(
            "the peer grants no access",
            "REQUESTER_CQE_ERROR 1, REMOTE_ACCESS_ERROR 1, " + "RECEIVED_ACKS 1",
            t -> {
              t.sends(1);
              t.answers(Aeth.NAK_REMOTE_ACCESS, 5);
            }),
        row(
            "the peer fails",
            "REQUESTER_CQE_ERROR 1, REMOTE_OPERATION_ERROR 1, " + "RECEIVED_ACKS 1",
            t -> {
              t.sends(1);
              t.answers(Aeth.NAK_REMOTE_OPERATIONAL, 5);
            }),
        row(
            "a message is received",
            "RDMA_RECEIVES 1, SENT_ACKS 1",
            t -> {
              t.receives();
              t.asks(0);
            }),
        row(
            "a message comes twice",
            "DUPLICATE_REQUEST 1, RDMA_RECEIVES 1, SENT_ACKS 2",
            t -> {
              t.receives();
              t.asks(0);
              t.asks(0);
            }),
        row(
            "a message is missing",
            "OUT_OF_SEQUENCE_REQUEST 1, SENT_SEQUENCE_NAK 1",
            t -> t.asks(1)),
        row("a message finds no receive", "SENT_RNR 1", t -> t.asks(0)),
        row(
            "a message begins in the middle",
            "RESPONDER_INVALID_REQUEST 1",
            t -> t.says(Opcode.RC_SEND_LAST)));
  }

  private void says(Opcode opcode) {
    peer.says(nowNs, opcode, true, 0, 4);
    turn();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("events")
  void isCountedAndTraced(String event, String counted, Consumer<CountedEventsTest> what) {
    Map<Counter, Long> before = counters();
    what.accept(this);
    Map<Counter, Long> after = counters();
    after.replaceAll((counter, count) -> count - before.get(counter));
    after.values().removeIf(count -> count == 0);
    after.keySet().removeAll(TRAFFIC);
    String found =
        Stream.concat(
                after.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()),
                traced.stream())
            .collect(Collectors.joining(", "));
    assertEquals(counted, found);
  }

  private Map<Counter, Long> counters() {
    Map<Counter, Long> all = new EnumMap<>(Counter.class);
    for (Counter each : Counter.values()) {
      all.put(each, engine.counters().get(each));
    }
    return all;
  }
}
