package org.roce4j.conformance.error;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;

/**
 * The consequences of an error on one side.
 *
 * @param status status of the request, or of the receive that its message took; null for no
 *     completion
 * @param state state of the queue pair afterwards; null if there is no queue pair or any state is
 *     right
 * @param events all asynchronous events
 * @param counters all counters of errors that grow
 */
public record Side(WcStatus status, QpState state, List<EventType> events, List<String> counters) {
  /** No completion, no event, no counter, RTS. */
  public static final Side UNHARMED = new Side(null, QpState.RTS, List.of(), List.of());

  /** This side with another status; null for no completion. */
  public Side status(WcStatus value) {
    return new Side(value, state, events, counters);
  }

  /** This side with another state of the queue pair; null for any state. */
  public Side state(QpState value) {
    return new Side(status, value, events, counters);
  }

  /** This side with one more event. */
  public Side event(EventType value) {
    List<EventType> more = new ArrayList<>(events);
    more.add(value);
    return new Side(status, state, List.copyOf(more), counters);
  }

  /** This side with more counters, by label. */
  public Side counts(String... labels) {
    List<String> more = new ArrayList<>(counters);
    more.addAll(List.of(labels));
    return new Side(status, state, events, List.copyOf(more));
  }
}
