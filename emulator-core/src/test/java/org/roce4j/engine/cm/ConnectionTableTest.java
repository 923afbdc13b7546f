package org.roce4j.engine.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.roce4j.engine.cm.CmNode.Listening;
import org.roce4j.engine.cm.CmNode.Told;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.CmAttribute;
import org.roce4j.wire.mad.CmMessage;
import org.roce4j.wire.mad.Drep;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Mra;
import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.RejCode;
import org.roce4j.wire.mad.Rep;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.Rtu;

/**
 * Every state against every message, every call and its deadline. For each row the test also checks
 * whether the call was allowed, the transaction of each message, whether a deadline runs exactly in
 * the states that have one, and whether a finished end keeps none of its peer's numbers.
 */
class ConnectionTableTest {
  private static final int OWN_QPN = 0x111;

  @TestFactory
  List<DynamicTest> everyStateAgainstEveryInput() {
    return ConnectionRow.all().stream()
        .map(row -> DynamicTest.dynamicTest(row.name(), () -> new Rig(row).put(row)))
        .toList();
  }

  /** A program that has gone, or has rejected its peer, gets no further events. */
  @TestFactory
  List<DynamicTest> nothingIsToldAfterTheProgramIsGone() {
    return ConnectionRow.all().stream()
        .filter(row -> row.state() != ConnectionState.IDLE)
        .flatMap(
            row ->
                Stream.of("close", "reject")
                    .map(
                        last ->
                            DynamicTest.dynamicTest(
                                row.state() + " " + last + " " + row.input(),
                                () -> new Rig(row).putAfter(last, row.input()))))
        .toList();
  }

  /** An end in a state, and a peer that the test plays. */
  private static final class Rig {
    private final CmNode node = new CmNode(1, 5);
    private final Listening listening = new Listening();
    private final Told told;
    private final boolean active;
    private long nowNs = 77 * CmNode.MS;
    private CmConnection end;
    private boolean allowed;

    /** The transaction of the last delivered message of each kind. */
    private final Map<CmAttribute, Long> transactions = new EnumMap<>(CmAttribute.class);

    Rig(ConnectionRow row) {
      active = row.isActive();
      told = active ? new Told() : listening.told;
      if (row.state() != ConnectionState.IDLE) {
        begin();
        row.way().forEach(this::put);
        assertEquals(row.state(), end.state());
      }
      node.sent();
      told.words.clear();
    }

    private void begin() {
      if (active) {
        end = node.connect(nowNs, 2, OWN_QPN, told);
      } else {
        node.manager.listen(CmNode.SERVICE, listening);
        deliver(message("REQ"));
        end = listening.connections.getFirst();
      }
    }

    void put(ConnectionRow row) {
      assertEquals(row.result(), put(row.input()));
      if (end != null && row.mayBeRefused()) {
        assertEquals(row.listed(), allowed, "whether the call is allowed");
      }
      boolean waits = state().expiry() != ConnectionState.Expiry.NONE;
      assertEquals(waits ? 1 : 0, node.deadlines().size(), "deadlines");
      assertEquals(state() == ConnectionState.IDLE ? 0 : 1, node.manager.remaining());
      if (state() == ConnectionState.IDLE) {
        requireForgotten();
      }
    }

    /** The program goes, then an input comes, then time passes. */
    void putAfter(String last, String input) {
      put(last);
      if (last.equals("reject") && !allowed) {
        return;
      }
      told.words.clear();
      give(input);
      give("patience");
      assertEquals(List.of(), told.words);
    }

    /** Requires that the peer's numbers are free: it can have another connection with them. */
    private void requireForgotten() {
      nowNs += RecentAnswers.LIFE_NS + 1;
      node.manager.listen(CmNode.SERVICE, listening);
      int before = listening.connections.size();
      deliver(message("REQ"));
      assertEquals(before + 1, listening.connections.size(), "a new request");
    }

    /** Gives an input to the end; returns the message sent, the event, the next state. */
    private String put(String input) {
      give(input);
      return sent() + ":" + String.join(", ", told.words) + ":" + state();
    }

    private void give(String input) {
      switch (input) {
        case "time" -> pass(700 * CmNode.MS);
        case "patience" -> pass(20 * 60 * 1000 * CmNode.MS);
        case "establish" -> call(() -> end.establish(nowNs));
        case "accept" -> call(() -> end.accept(nowNs, CmNode.offer(OWN_QPN)));
        case "reject" -> call(() -> end.reject(nowNs, RejCode.CONSUMER_DEFINED, Bytes.NONE));
        case "release" -> call(() -> end.release(nowNs));
        case "confirm" -> call(this::confirm);
        case "close" ->
            call(
                () -> {
                  end.close(nowNs);
                  return true;
                });
        default -> deliver(message(input));
      }
    }

    private void call(BooleanSupplier call) {
      if (end != null) {
        allowed = call.getAsBoolean();
      }
    }

    private boolean confirm() {
      ConnectionState before = end.state();
      ConnectionState forbidden = end.confirm(nowNs);
      assertTrue(forbidden == null || forbidden == before, () -> "refused for " + forbidden);
      return forbidden == null;
    }

    private ConnectionState state() {
      return end == null ? ConnectionState.IDLE : end.state();
    }

    private void pass(long ns) {
      for (long endNs = nowNs + ns; nowNs < endNs; nowNs += 10 * CmNode.MS) {
        node.handleTimeout(nowNs);
      }
    }

    private void deliver(CmMessage message) {
      long transaction =
          transactions.computeIfAbsent(message.attribute(), _ -> 99L + transactions.size());
      node.handle(nowNs, 2, message.in(transaction));
    }

    private String sent() {
      Map<String, Integer> counts = new LinkedHashMap<>();
      for (Outgoing out : node.sent()) {
        CmMessage message = out.mad().message();
        assertEquals(CmNode.address(2), out.path().remoteLow());
        assertEquals(
            transaction(message), out.mad().header().transactionId(), "transaction of " + message);
        requireIds(message);
        String word = message.attribute() + (message instanceof Rej rej ? " " + rej.reason() : "");
        counts.merge(word, 1, Integer::sum);
      }
      List<String> words = new ArrayList<>();
      counts.forEach((word, count) -> words.add(count == 1 ? word : count + " " + word));
      return String.join(", ", words);
    }

    /**
     * An answer has the transaction number of the answered message: REP, RTU, MRA and REJ that of
     * REQ, DREP that of DREQ.
     */
    private long transaction(CmMessage message) {
      boolean ofStranger = message instanceof Rej rej && rej.localId() == 0;
      return switch (message) {
        case Rej _ when end == null -> transactions.values().iterator().next(); // the only one
        case Drep _ -> transactions.get(CmAttribute.DREQ);
        case Dreq _ -> ownTransaction();
        default -> active && !ofStranger ? ownTransaction() : transactions.get(CmAttribute.REQ);
      };
    }

    /** A message names its sender and, unless none of the peer's has come, its receiver. */
    private void requireIds(CmMessage message) {
      boolean unanswered = message instanceof Rej rej && rej.reason() == RejCode.TIMEOUT.code();
      List<Integer> expected = List.of(ownId(), unanswered ? 0 : PeerMessages.ID);
      List<Integer> ids =
          switch (message) {
            case Req req -> List.of(req.localId(), PeerMessages.ID);
            case Mra mra -> List.of(mra.localId(), mra.remoteId());
            case Rej rej when rej.localId() == 0 -> List.of(ownId(), rej.remoteId());
            case Rej rej -> List.of(rej.localId(), rej.remoteId());
            case Rep rep -> List.of(rep.localId(), rep.remoteId());
            case Rtu rtu -> List.of(rtu.localId(), rtu.remoteId());
            case Dreq dreq -> List.of(dreq.localId(), dreq.remoteId());
            case Drep drep -> List.of(drep.localId(), drep.remoteId());
            default -> throw new AssertionError("never sent: " + message);
          };
      assertEquals(expected, ids, () -> "ids of " + message);
    }

    private long ownTransaction() {
      return node.caGuid() << 32 | Integer.toUnsignedLong(end.localId());
    }

    private int ownId() {
      return end == null ? 0x77 : end.localId();
    }

    private CmMessage message(String name) {
      boolean asks = end != null && end.state().awaitsReply();
      return new PeerMessages(ownId(), OWN_QPN, asks, request()).named(name);
    }

    private Req request() {
      CmNode peer = new CmNode(2, 6);
      peer.connect(0, 1, PeerMessages.QPN, new Told());
      Req drawn = (Req) peer.sent().getFirst().mad().message();
      AddressHeader addresses = AddressHeader.parse(drawn.privateData());
      assertEquals(CmNode.address(1), addresses.destinationLow());
      assertEquals(CmAttribute.REQ, drawn.attribute());
      return PeerMessages.request(drawn.serviceId(), drawn.primary(), drawn.privateData());
    }
  }
}
