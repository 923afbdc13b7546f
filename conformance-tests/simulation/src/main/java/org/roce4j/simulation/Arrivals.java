package org.roce4j.simulation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.text.Wording;

/**
 * The messages of an unreliable service that arrived whole and must be received in order. Messages
 * that arrive at one time at several engines may overtake each other. A message that arrives when
 * no receive request may be posted need not be received. Because two messages can look the same,
 * all explanations of the receives are followed at once.
 */
final class Arrivals {
  private final Agenda agenda;
  private final boolean severalEngines;
  private final Receives receives;
  private final List<Arrival> all = new ArrayList<>();

  /** The sets of arrivals, received or passed over, that the completions so far can mean. */
  private Set<BitSet> accounts = Set.of(new BitSet());

  /**
   * @param route equal for messages that reach the same engine
   * @param certain whether the message surely found a receive request
   */
  private record Arrival(PostedSend message, long atNs, Route route, boolean certain) {
    boolean precedes(Arrival later) {
      return atNs < later.atNs || route.equals(later.route);
    }

    Arrival uncertain() {
      return new Arrival(message, atNs, route, false);
    }
  }

  private record Route(Gid from, boolean multicast) {
    static final Route ONLY = new Route(Gid.ZERO, false);
  }

  /** The receive requests that messages take. */
  interface Receives {
    /** Messages took receive requests; below 0: they completed or were given up. */
    void claim(int requests);

    /**
     * Whether the next message surely finds a receive request, even if completions are not seen
     * yet. Never true of a shared queue: other queue pairs take from it, and their completions are
     * seen later.
     */
    boolean surelyFree();
  }

  Arrivals(Agenda agenda, boolean severalEngines, Receives receives) {
    this.agenda = agenda;
    this.severalEngines = severalEngines;
    this.receives = receives;
  }

  /** Whether a message that takes a receive request now surely finds one. */
  boolean certain() {
    return receives.surelyFree();
  }

  void arrived(PostedSend message, boolean certain) {
    receives.claim(1);
    Arrival arrival = new Arrival(message, agenda.nowNs(), route(message.datagram), certain);
    if (!certain) {
      // It may overtake other arrivals of this moment and take a receive request from one of them.
      all.replaceAll(one -> one.precedes(arrival) ? one : one.uncertain());
    }
    all.add(arrival);
  }

  private Route route(Datagram datagram) {
    return datagram == null || !severalEngines
        ? Route.ONLY
        : new Route(datagram.from(), datagram.to().isMulticast());
  }

  /**
   * The message that a completion belongs to.
   *
   * @param isIt whether the completion and the received bytes are those of a message
   */
  PostedSend received(String end, String completion, Predicate<PostedSend> isIt) {
    Set<BitSet> next = new LinkedHashSet<>();
    PostedSend message = null;
    for (BitSet account : accounts) {
      for (int i : due(account)) {
        if (isIt.test(all.get(i).message)) {
          next.add(received(account, i));
          message = all.get(i).message;
        }
      }
    }
    RuleBroken.checks(OracleRule.WHOLE_OR_NOT_AT_ALL);
    if (message == null) {
      int first = accounts.iterator().next().nextClearBit(0);
      throw new RuleBroken(
          OracleRule.WHOLE_OR_NOT_AT_ALL,
          Wording.of(
              "%s: %s came, but the next message that arrived whole is %s",
              end, completion, first == all.size() ? "none" : all.get(first).message));
    }
    receives.claim(least(accounts) - least(next));
    accounts = next;
    return message;
  }

  /** The arrivals that may be received next, in any order. */
  private List<Integer> due(BitSet account) {
    List<Integer> due = new ArrayList<>();
    List<Arrival> first = new ArrayList<>();
    for (int i = account.nextClearBit(0); i < all.size(); i = account.nextClearBit(i + 1)) {
      Arrival arrival = all.get(i);
      if (!first.isEmpty() && first.getFirst().atNs < arrival.atNs) {
        break;
      }
      if (first.stream().noneMatch(one -> one.precedes(arrival))) {
        due.add(i);
      }
      if (arrival.certain) {
        first.add(arrival);
      }
    }
    return due;
  }

  /** The account with one more received arrival; earlier arrivals of its route were passed over. */
  private BitSet received(BitSet account, int index) {
    BitSet more = (BitSet) account.clone();
    for (int i = more.nextClearBit(0); i < index; i = more.nextClearBit(i + 1)) {
      if (all.get(i).precedes(all.get(index))) {
        more.set(i);
      }
    }
    more.set(index);
    return more;
  }

  private static int least(Set<BitSet> accounts) {
    return accounts.stream().mapToInt(BitSet::cardinality).min().orElseThrow();
  }

  void checkAtEnd(String end) {
    RuleBroken.checks(OracleRule.WHOLE_OR_NOT_AT_ALL);
    PostedSend lost = null;
    for (BitSet account : accounts) {
      lost = null;
      for (int i = account.nextClearBit(0); i < all.size(); i = account.nextClearBit(i + 1)) {
        lost = all.get(i).certain ? all.get(i).message : lost;
      }
      if (lost == null) {
        return;
      }
    }
    throw new RuleBroken(
        OracleRule.WHOLE_OR_NOT_AT_ALL,
        Wording.of("%s: %s arrived whole and was never received", end, lost));
  }
}
