package org.roce4j.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Messages of an unreliable service that arrived whole and must now be received, in order. One that
 * came while no receive request may have been posted need not be; because two messages can look the
 * same, all ways to tell which ones were received are followed at once.
 */
final class Arrivals {
  private final ReceivePool receives;
  private final List<Arrival> all = new ArrayList<>();

  /** How many of them, received or passed over, the completions so far can account for. */
  private TreeSet<Integer> accounted = new TreeSet<>(List.of(0));

  private record Arrival(PostedSend message, boolean certain) {}

  Arrivals(ReceivePool receives) {
    this.receives = receives;
  }

  /** Whether a message that takes a receive request now surely finds one. */
  boolean certain() {
    return receives.surelyFree();
  }

  void arrived(PostedSend message, boolean certain) {
    receives.claim(1);
    all.add(new Arrival(message, certain));
  }

  /**
   * The message that a completion tells of.
   *
   * @param isIt whether the completion and the bytes received are those of a message
   */
  PostedSend received(String end, String completion, Predicate<PostedSend> isIt) {
    TreeSet<Integer> next = new TreeSet<>();
    PostedSend message = null;
    for (int from : accounted) {
      for (int i = from; i < all.size(); i++) {
        Arrival arrival = all.get(i);
        if (isIt.test(arrival.message)) {
          next.add(i + 1);
          message = arrival.message;
        }
        if (arrival.certain) {
          break;
        }
      }
    }
    if (message == null) {
      int first = accounted.first();
      throw new RuleBroken(
          Rule.WHOLE_OR_NOT_AT_ALL,
          "%s: %s came, but the next message that arrived whole is %s"
              .formatted(end, completion, first == all.size() ? "none" : all.get(first).message));
    }
    receives.claim(accounted.first() - next.first());
    accounted = next;
    return message;
  }

  void checkAtEnd(String end) {
    for (int i = all.size() - 1; i >= accounted.last(); i--) {
      if (all.get(i).certain) {
        throw new RuleBroken(
            Rule.WHOLE_OR_NOT_AT_ALL,
            "%s: %s arrived whole and was never received".formatted(end, all.get(i).message));
      }
    }
  }
}
