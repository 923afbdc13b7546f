package org.roce4j.conformance.error;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;

/**
 * What an error leads to on one side.
 *
 * @param status of the request, or of the receive that its message came to; null: no completion
 * @param state of the queue pair after it; null: there is none, or it does not matter
 * @param events asynchronous ones, all of them
 * @param counters that grow, all of those that count errors
 */
public record Side(WcStatus status, QpState state, List<EventType> events, List<String> counters) {
  /** No completion, no event, no counter, RTS. */
  public static final Side UNHARMED = new Side(null, QpState.RTS, List.of(), List.of());

  /** The same with another status of the completion; null: none comes. */
  public Side status(WcStatus value) {
    return new Side(value, state, events, counters);
  }

  /** The same with another state of the queue pair; null: it does not matter. */
  public Side state(QpState value) {
    return new Side(status, value, events, counters);
  }

  /** One more event. */
  public Side event(EventType value) {
    List<EventType> more = new ArrayList<>(events);
    more.add(value);
    return new Side(status, state, List.copyOf(more), counters);
  }

  /** More counters, by label. */
  public Side counts(String... labels) {
    List<String> more = new ArrayList<>(counters);
    more.addAll(List.of(labels));
    return new Side(status, state, events, List.copyOf(more));
  }
}
