package org.roce4j.engine.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.roce4j.engine.cm.CmNode.Listening;
import org.roce4j.engine.cm.CmNode.Told;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.Apr;
import org.roce4j.wire.mad.CmAttribute;
import org.roce4j.wire.mad.CmMessage;
import org.roce4j.wire.mad.CmPath;
import org.roce4j.wire.mad.Drep;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Lap;
import org.roce4j.wire.mad.Mra;
import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.RejectReason;
import org.roce4j.wire.mad.Rep;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.Rtu;

/**
 * Every state against every message, every call and its deadline; also against DREQ that names
 * another queue pair, REJ 4, which names its sender by GUID, and MRA of another message than the
 * outstanding one. The table lists every result except "nothing": state and input, then the message
 * sent, the event for the program, and the next state. For each cell the test also checks whether
 * the call was allowed, the transaction of each message, whether a deadline runs exactly in the
 * states that have one, and whether a finished end keeps none of its peer's numbers.
 */
class ConnectionTableTest {
  private static final String TABLE =
      """
      IDLE REQ            : REJ 8              :                     : IDLE
      IDLE REP            : REJ 6              :                     : IDLE
      IDLE RTU            : REJ 6              :                     : IDLE
      IDLE DREQ           : DREP               :                     : IDLE
      IDLE DREQ_OTHER_QPN : DREP               :                     : IDLE

      REQ_SENT REP        :                    : replied             : REP_RCVD
      REQ_SENT REJ        :                    : rejected 28         : IDLE
      REQ_SENT REJ_STALE  :                    : rejected 10         : TIMEWAIT
      REQ_SENT MRA        :                    :                     : MRA_REQ_RCVD
      REQ_SENT time       : REQ                :                     : REQ_SENT
      REQ_SENT patience   : 15 REQ             : unreachable         : IDLE
      REQ_SENT close      : REJ 4              :                     : IDLE
      REQ_SENT REQ        : REJ 8              :                     : REQ_SENT
      REQ_SENT DREQ       : DREP               : rejected 28         : IDLE
      REQ_SENT DREQ_OTHER_QPN : DREP               :                     : REQ_SENT

      MRA_REQ_RCVD REP    :                    : replied             : REP_RCVD
      MRA_REQ_RCVD REJ    :                    : rejected 28         : IDLE
      MRA_REQ_RCVD REJ_STALE :                 : rejected 10         : TIMEWAIT
      MRA_REQ_RCVD time   :                    :                     : MRA_REQ_RCVD
      MRA_REQ_RCVD patience : 15 REQ           : unreachable         : IDLE
      MRA_REQ_RCVD close  : REJ 4              :                     : IDLE
      MRA_REQ_RCVD REQ    : REJ 8              :                     : MRA_REQ_RCVD
      MRA_REQ_RCVD DREQ   : DREP               : rejected 28         : IDLE
      MRA_REQ_RCVD DREQ_OTHER_QPN : DREP               :                     : MRA_REQ_RCVD

      REP_RCVD REP        : MRA                :                     : REP_RCVD
      REP_RCVD REJ        :                    : rejected 28         : TIMEWAIT
      REP_RCVD REJ_STALE  :                    : rejected 10         : TIMEWAIT
      REP_RCVD REJ_TIMEOUT :                    : rejected 4          : TIMEWAIT
      REP_RCVD establish  : RTU                :                     : ESTABLISHED
      REP_RCVD reject     : REJ 28             :                     : IDLE
      REP_RCVD close      : REJ 28             :                     : IDLE

      REQ_RCVD REQ        : MRA                :                     : REQ_RCVD
      REQ_RCVD REJ        :                    : rejected 28         : IDLE
      REQ_RCVD REJ_STALE  :                    : rejected 10         : TIMEWAIT
      REQ_RCVD REJ_TIMEOUT :                    : rejected 4          : IDLE
      REQ_RCVD accept     : REP                :                     : REP_SENT
      REQ_RCVD reject     : REJ 28             :                     : IDLE
      REQ_RCVD close      : REJ 28             :                     : IDLE

      REP_SENT RTU        :                    : established         : ESTABLISHED
      REP_SENT REJ        :                    : rejected 28         : IDLE
      REP_SENT REJ_STALE  :                    : rejected 10         : TIMEWAIT
      REP_SENT REJ_TIMEOUT :                    : rejected 4          : IDLE
      REP_SENT MRA        :                    :                     : MRA_REP_RCVD
      REP_SENT DREQ       :                    : released            : DREQ_RCVD
      REP_SENT time       : REP                :                     : REP_SENT
      REP_SENT patience   : 15 REP             : unreachable         : IDLE
      REP_SENT confirm    :                    : established         : ESTABLISHED
      REP_SENT reject     : REJ 28, DREQ       :                     : DREQ_SENT
      REP_SENT close      : REJ 28, DREQ       :                     : DREQ_SENT

      MRA_REP_RCVD RTU    :                    : established         : ESTABLISHED
      MRA_REP_RCVD REJ    :                    : rejected 28         : IDLE
      MRA_REP_RCVD REJ_STALE :                 : rejected 10         : TIMEWAIT
      MRA_REP_RCVD REJ_TIMEOUT :                    : rejected 4          : IDLE
      MRA_REP_RCVD DREQ   :                    : released            : DREQ_RCVD
      MRA_REP_RCVD time   :                    :                     : MRA_REP_RCVD
      MRA_REP_RCVD patience : 15 REP           : unreachable         : IDLE
      MRA_REP_RCVD confirm :                   : established         : ESTABLISHED
      MRA_REP_RCVD reject : REJ 28, DREQ       :                     : DREQ_SENT
      MRA_REP_RCVD close  : REJ 28, DREQ       :                     : DREQ_SENT

      ESTABLISHED REP     : RTU                :                     : ESTABLISHED
      ESTABLISHED REJ     :                    : rejected 28         : TIMEWAIT
      ESTABLISHED REJ_STALE :                  : rejected 10         : TIMEWAIT
      ESTABLISHED REJ_TIMEOUT :                    : rejected 4          : TIMEWAIT
      ESTABLISHED DREQ    :                    : released            : DREQ_RCVD
      ESTABLISHED release : DREQ               :                     : DREQ_SENT
      ESTABLISHED close   : DREQ               :                     : DREQ_SENT

      DREQ_SENT DREP      :                    : released            : TIMEWAIT
      DREQ_SENT DREQ      : DREP               : released            : TIMEWAIT
      DREQ_SENT REJ       :                    : rejected 28         : TIMEWAIT
      DREQ_SENT REJ_STALE :                    : rejected 10         : TIMEWAIT
      DREQ_SENT REJ_TIMEOUT :                    : rejected 4          : TIMEWAIT
      DREQ_SENT time      : DREQ               :                     : DREQ_SENT
      DREQ_SENT patience  : 15 DREQ            : released unanswered, over : IDLE

      DREQ_RCVD DREP      :                    : released            : TIMEWAIT
      DREQ_RCVD release   : DREP               :                     : TIMEWAIT
      DREQ_RCVD close     : DREP               :                     : TIMEWAIT

      TIMEWAIT REQ        : REJ 10             :                     : TIMEWAIT
      TIMEWAIT DREQ       : DREP               :                     : TIMEWAIT
      TIMEWAIT time       :                    : over                : IDLE
      TIMEWAIT patience   :                    : over                : IDLE
      """;

  private static final List<String> INPUTS =
      List.of(
          "REQ",
          "REP",
          "RTU",
          "REJ",
          "REJ_STALE",
          "REJ_TIMEOUT",
          "MRA",
          "MRA_OTHER",
          "MRA_LAP",
          "DREQ",
          "DREQ_OTHER_QPN",
          "DREP",
          "LAP",
          "APR",
          "time",
          "patience",
          "establish",
          "accept",
          "reject",
          "release",
          "confirm",
          "close");

  /** Calls that return whether the state allows them: those with a line in the table. */
  private static final Set<String> CALLS =
      Set.of("establish", "accept", "reject", "release", "confirm");

  private static final int OTHER_ID = 0x1234_5678;
  private static final int OTHER_QPN = 0x222;
  private static final int OWN_QPN = 0x111;

  private static Map<String, String> table() {
    Map<String, String> cells = new TreeMap<>();
    TABLE
        .lines()
        .filter(line -> !line.isBlank())
        .forEach(
            line -> {
              String[] parts = line.split(":", -1);
              String cell = parts[1].strip() + ":" + parts[2].strip() + ":" + parts[3].strip();
              cells.put(parts[0].strip(), cell);
            });
    return cells;
  }

  @TestFactory
  List<DynamicTest> everyStateAgainstEveryInput() {
    Map<String, String> cells = table();
    List<DynamicTest> tests = new ArrayList<>();
    for (ConnectionState state : ConnectionState.values()) {
      for (String input : INPUTS) {
        String key = state + " " + input;
        String expected = cells.getOrDefault(key, "::" + state);
        cells.remove(key);
        boolean has = !expected.equals("::" + state);
        tests.add(DynamicTest.dynamicTest(key, () -> new Rig(state).put(input, expected, has)));
      }
    }
    assertTrue(cells.isEmpty(), () -> "lines of no input: " + cells.keySet());
    return tests;
  }

  /** An end in a state, and a peer that the test plays. */
  private static final class Rig {
    private final CmNode node = new CmNode(1, 5);
    private final Listening listening = new Listening();
    private final Told told;
    private final boolean active;
    private long nowNs = 77 * CmNode.MS;
    private Connection end;
    private boolean allowed;

    /** The transaction of the last delivered message of each kind. */
    private final Map<CmAttribute, Long> transactions = new EnumMap<>(CmAttribute.class);

    Rig(ConnectionState state) {
      active =
          state.awaitsReply() || state == ConnectionState.REP_RCVD || state == ConnectionState.IDLE;
      told = active ? new Told() : listening.told;
      if (state != ConnectionState.IDLE) {
        begin();
        bring(state);
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

    private void bring(ConnectionState state) {
      switch (state) {
        case IDLE, REQ_SENT, REQ_RCVD -> {}
        case MRA_REQ_RCVD -> put("MRA");
        case REP_RCVD -> put("REP");
        case REP_SENT -> put("accept");
        case MRA_REP_RCVD -> {
          put("accept");
          put("MRA");
        }
        case ESTABLISHED -> {
          put("accept");
          put("RTU");
        }
        case DREQ_SENT -> {
          bring(ConnectionState.ESTABLISHED);
          put("release");
        }
        case DREQ_RCVD -> {
          bring(ConnectionState.ESTABLISHED);
          put("DREQ");
        }
        case TIMEWAIT -> {
          bring(ConnectionState.DREQ_SENT);
          put("DREP");
        }
      }
      assertEquals(state, end.state());
    }

    void put(String input, String expected, boolean has) {
      assertEquals(expected, put(input));
      if (end != null && CALLS.contains(input)) {
        assertEquals(has, allowed, "whether the call is allowed");
      }
      boolean waits = state().expiry() != ConnectionState.Expiry.NONE;
      assertEquals(waits ? 1 : 0, node.deadlines().size(), "deadlines");
      assertEquals(state() == ConnectionState.IDLE ? 0 : 1, node.manager.remaining());
      if (state() == ConnectionState.IDLE) {
        requireForgotten();
      }
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
      switch (input) {
        case "time" -> pass(700 * CmNode.MS);
        case "patience" -> pass(20 * 60 * 1000 * CmNode.MS);
        case "establish" -> call(() -> end.establish(nowNs));
        case "accept" -> call(() -> end.accept(nowNs, CmNode.offer(OWN_QPN)));
        case "reject" -> call(() -> end.reject(nowNs, RejectReason.CONSUMER_DEFINED, Bytes.NONE));
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
      return sent() + ":" + String.join(", ", told.words) + ":" + state();
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

    private long ownTransaction() {
      return node.caGuid() << 32 | Integer.toUnsignedLong(end.localId());
    }

    private int ownId() {
      return end == null ? 0x77 : end.localId();
    }

    private CmMessage message(String name) {
      int own = name.equals("REQ") ? 0 : ownId();
      int rejected = end != null && end.state().awaitsReply() ? Rej.REQ : Rej.OTHER;
      int mra = end != null && end.state().awaitsReply() ? Mra.REQ : Mra.REP;
      return switch (name) {
        case "REQ" -> request();
        case "REP" ->
            new Rep(
                OTHER_ID, own, 0, OTHER_QPN, 0, 0, 7, 4, 4, 15, 0, false, 7, false, 2, Bytes.NONE);
        case "RTU" -> new Rtu(OTHER_ID, own, Bytes.NONE);
        case "REJ" -> Rej.of(OTHER_ID, own, rejected, RejectReason.CONSUMER_DEFINED, Bytes.NONE);
        case "REJ_STALE" ->
            Rej.of(OTHER_ID, own, rejected, RejectReason.STALE_CONNECTION, Bytes.NONE);
        case "REJ_TIMEOUT" -> Rej.timedOut(OTHER_ID, 0, 2);
        case "MRA" -> new Mra(OTHER_ID, own, mra, 20, Bytes.NONE);
        case "MRA_OTHER" -> // with the id by which it is looked up
            new Mra(mra == Mra.REQ ? 0 : OTHER_ID, own, Mra.REQ + Mra.REP - mra, 20, Bytes.NONE);
        case "MRA_LAP" -> new Mra(mra == Mra.REQ ? 0 : OTHER_ID, own, Mra.LAP, 20, Bytes.NONE);
        case "DREQ" -> new Dreq(OTHER_ID, own, OWN_QPN, Bytes.NONE);
        case "DREQ_OTHER_QPN" -> new Dreq(OTHER_ID, own, OWN_QPN + 1, Bytes.NONE);
        case "DREP" -> new Drep(OTHER_ID, own, Bytes.NONE);
        case "LAP" -> new Lap(OTHER_ID, own, OWN_QPN, 20, CmPath.NONE, Bytes.NONE);
        case "APR" -> new Apr(OTHER_ID, own, 0, 0, Bytes.NONE, Bytes.NONE);
        default -> throw new IllegalArgumentException(name);
      };
    }

    private Req request() {
      CmNode peer = new CmNode(2, 6);
      peer.connect(0, 1, OTHER_QPN, new Told());
      Req drawn = (Req) peer.sent().getFirst().mad().message();
      AddressHeader addresses = AddressHeader.parse(drawn.privateData());
      assertEquals(CmNode.address(1), addresses.destinationLow());
      assertEquals(CmAttribute.REQ, drawn.attribute());
      return withId(drawn);
    }

    private static Req withId(Req req) {
      return new Req(
          OTHER_ID,
          0,
          req.serviceId(),
          2,
          0,
          OTHER_QPN,
          4,
          0,
          4,
          0,
          20,
          0,
          false,
          7,
          20,
          7,
          0xFFFF,
          3,
          false,
          7,
          15,
          false,
          0,
          req.primary(),
          CmPath.NONE,
          false,
          req.privateData());
    }
  }
}
