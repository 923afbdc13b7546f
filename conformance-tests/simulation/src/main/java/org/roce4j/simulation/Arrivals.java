package org.roce4j.simulation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.roce4j.verbs.Gid;

/**
 * Messages of an unreliable service that arrived whole and must now be received, in order; but
 * those that came at one time and reached several engines may overtake each other. One that came
 * while no receive request may have been posted need not be received; because two messages can look
 * the same, all ways to tell which ones were received are followed at once.
 */
final class Arrivals {
  private final Agenda agenda;
  private final boolean severalEngines;
  private final Receives receives;
  private final List<Arrival> all = new ArrayList<>();

  /** Which of them, received or passed over, the completions so far can account for. */
  private Set<BitSet> accounts = Set.of(new BitSet());

  /**
   * @param route the same for messages that reach the same engine
   * @param certain whether it surely found a receive request
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

  /** The receive requests that the messages take. */
  interface Receives {
    /** A message took a request, or (-1) was seen to complete or given up. */
    void claim(int requests);

    /**
     * Whether there is a request for the next message, whatever has not been seen yet. Of a shared
     * queue nobody knows: others take from it, and what they complete is seen later.
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
      // It may overtake others of this moment and take a request that they would have found.
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
   * The message that a completion tells of.
   *
   * @param isIt whether the completion and the bytes received are those of a message
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
    if (message == null) {
      int first = accounts.iterator().next().nextClearBit(0);
      throw new RuleBroken(
          Rule.WHOLE_OR_NOT_AT_ALL,
          "%s: %s came, but the next message that arrived whole is %s"
              .formatted(end, completion, first == all.size() ? "none" : all.get(first).message));
    }
    receives.claim(least(accounts) - least(next));
    accounts = next;
    return message;
  }

  /** The candidates: any of them may be received next. */
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

  /** With one more that was received; what comes before it was passed over. */
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
        Rule.WHOLE_OR_NOT_AT_ALL,
        "%s: %s arrived whole and was never received".formatted(end, lost));
  }
}
