package org.roce4j.engine.cm;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.roce4j.wire.mad.CmAttribute;
import org.roce4j.wire.mad.CmMessage;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Rep;
import org.roce4j.wire.mad.Req;

/**
 * Judges ends while they live, by their messages and their states. A broken rule fails at once with
 * its name, because its consequences would not tell it.
 */
final class CmOracle {
  /** The rules for every end. */
  enum Rule {
    SENT_SIXTEEN_TIMES("REQ, REP and DREQ are sent once and fifteen times more, not oftener"),
    SPACED(
        "they are repeated after half a second, then twice that, to 4.6 s; give or take a quarter"),
    GIVEN_UP_IN_TIME("a peer is given up after the sixteenth message and no sooner"),
    LIVE_PEER_ANSWERS("a peer that lives answers, and confirms what it has missed"),
    WAIT_ENDS("an end that waits for its peer comes to an end of that"),
    TIME_WAIT_FIRST("a connection that stood is in time wait before it is forgotten"),
    TIME_WAIT_LASTS("it stays so for as long as its packets may be under way"),
    TIME_WAIT_ENDS("the time wait ends after its time"),
    NO_HALF("where one end stands, its peer has not forgotten it"),
    CLOCK_ADVANCES("work at one time comes to an end"),
    NOTHING_LEFT("ends, questions and deadlines go when all is closed"),
    TOLD_ONCE("nothing is told of an end twice, nor after its end");

    private final String says;

    Rule(String says) {
      this.says = says;
    }

    AssertionError broken(Object how) {
      return new AssertionError(this + " (" + says + "): " + how);
    }
  }

  /** Identifies a message and its sender. */
  private record Sent(CmNode node, CmAttribute attribute, int localId) {}

  private record Times(int count, long lastNs) {}

  /**
   * @param ns when the state was first seen
   * @param beforeNs when it was last not seen
   */
  private record Since(ConnectionState state, long ns, long beforeNs) {}

  private static final int SENDS = 1 + CmTiming.MAX_RETRIES;
  private static final long SECOND = 1000 * CmNode.MS;

  /** Fifteen intervals and one more, each up to a quarter longer. */
  private static final long PATIENCE_NS = 80 * SECOND;

  /** The time wait of {@link CmNode}'s routes, from their ACK timeout. */
  private static final long TIME_WAIT_NS = 512 * CmNode.MS;

  /** The states of a connection that is established or is being taken down. */
  private static final Set<ConnectionState> STANDING =
      EnumSet.of(ConnectionState.ESTABLISHED, ConnectionState.DREQ_SENT, ConnectionState.DREQ_RCVD);

  private static final Map<ConnectionState, Long> LONGEST_NS =
      new EnumMap<>(
          Map.of(
              ConnectionState.REQ_SENT, PATIENCE_NS,
              ConnectionState.REP_SENT, PATIENCE_NS,
              ConnectionState.DREQ_SENT, PATIENCE_NS,
              ConnectionState.MRA_REQ_RCVD, 67 * SECOND + PATIENCE_NS,
              ConnectionState.MRA_REP_RCVD, 67 * SECOND + PATIENCE_NS,
              ConnectionState.TIMEWAIT, SECOND));

  private final Map<Sent, Times> sent = new HashMap<>();
  private final Map<CmConnection, Since> watched = new LinkedHashMap<>();
  private long lookedNs;

  void watch(CmConnection end, long nowNs) {
    watched.put(end, new Since(end.state(), nowNs, nowNs));
  }

  /** A host has lost its memory. */
  void forget(CmConnection end) {
    watched.remove(end);
  }

  void sent(CmNode node, CmMessage message, long nowNs) {
    int localId =
        switch (message) {
          case Req req -> req.localId();
          case Rep rep -> rep.localId();
          case Dreq dreq -> dreq.localId();
          default -> 0;
        };
    if (localId != 0) {
      Sent key = new Sent(node, message.attribute(), localId);
      Times before = sent.getOrDefault(key, new Times(0, nowNs));
      checkSpace(before.count(), nowNs - before.lastNs(), message);
      sent.put(key, new Times(before.count() + 1, nowNs));
    }
  }

  /** A peer that asks for time (MRA) extends one interval. */
  private static void checkSpace(int before, long intervalNs, CmMessage message) {
    if (before == SENDS) {
      throw Rule.SENT_SIXTEEN_TIMES.broken(message);
    }
    if (before > 0 && intervalNs < 60 * SECOND) {
      long nominalNs = Math.min(500 * CmNode.MS << Math.min(before - 1, 4), 4608 * CmNode.MS);
      if (Math.abs(intervalNs - nominalNs) > nominalNs / 4) {
        throw Rule.SPACED.broken(message + " again after " + intervalNs / CmNode.MS + " ms");
      }
    }
  }

  /**
   * An end has given its peer up.
   *
   * @param unanswered REQ, REP or DREQ
   * @param peerLives whether the peer has neither died nor had its program end this
   */
  void gaveUp(CmNode node, CmAttribute unanswered, CmConnection end, boolean peerLives) {
    Sent key = new Sent(node, unanswered, end.localId());
    int times = sent.getOrDefault(key, new Times(0, 0)).count();
    if (times != SENDS) {
      throw Rule.GIVEN_UP_IN_TIME.broken(unanswered + " was sent " + times + " times by " + end);
    }
    if (unanswered == CmAttribute.DREQ && end.state() != ConnectionState.TIMEWAIT) {
      throw Rule.TIME_WAIT_FIRST.broken(end);
    }
    if (peerLives) {
      throw Rule.LIVE_PEER_ANSWERS.broken(end + " got no answer to " + unanswered);
    }
  }

  /** Checks the states of all ends; to be called often. */
  void look(long nowNs) {
    watched
        .entrySet()
        .removeIf(
            entry -> {
              CmConnection end = entry.getKey();
              if (entry.getValue().state() != end.state()) {
                checkTimeWait(entry.getValue(), end, nowNs);
                entry.setValue(new Since(end.state(), nowNs, lookedNs));
              }
              long age = nowNs - entry.getValue().ns();
              if (age > LONGEST_NS.getOrDefault(end.state(), Long.MAX_VALUE)) {
                Rule rule =
                    end.state() == ConnectionState.TIMEWAIT ? Rule.TIME_WAIT_ENDS : Rule.WAIT_ENDS;
                throw rule.broken(end + " since " + age / SECOND + " s");
              }
              return end.state() == ConnectionState.IDLE;
            });
    lookedNs = nowNs;
  }

  /** An end is forgotten. Checks that are far apart may have missed its time wait. */
  private void checkTimeWait(Since before, CmConnection end, long nowNs) {
    if (end.state() != ConnectionState.IDLE) {
      return;
    }
    if (STANDING.contains(before.state()) && nowNs - lookedNs < TIME_WAIT_NS) {
      throw Rule.TIME_WAIT_FIRST.broken(end + " was " + before.state());
    }
    boolean waited = before.state() == ConnectionState.TIMEWAIT;
    if (waited && nowNs - before.beforeNs() < TIME_WAIT_NS) {
      throw Rule.TIME_WAIT_LASTS.broken(end);
    }
  }

  /**
   * An end is established.
   *
   * @param peer its peer, on a host that has not died; null if unknown
   */
  void stands(CmConnection end, CmConnection peer, long nowNs) {
    Since since = watched.get(end);
    boolean gone = peer == null || peer.state() == ConnectionState.IDLE;
    if (gone && since != null && nowNs - since.ns() > PATIENCE_NS) {
      throw Rule.NO_HALF.broken(end + " stands, its peer: " + peer);
    }
  }
}
