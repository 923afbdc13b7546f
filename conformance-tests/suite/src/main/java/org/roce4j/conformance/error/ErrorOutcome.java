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
public record ErrorOutcome(
    WcStatus status, QpState state, List<EventType> events, List<String> counters) {
  /** No completion, no event, no counter, RTS. */
  public static final ErrorOutcome UNHARMED =
      new ErrorOutcome(null, QpState.RTS, List.of(), List.of());

  /** This side with another status; null for no completion. */
  public ErrorOutcome status(WcStatus value) {
    return new ErrorOutcome(value, state, events, counters);
  }

  /** This side with another state of the queue pair; null for any state. */
  public ErrorOutcome state(QpState value) {
    return new ErrorOutcome(status, value, events, counters);
  }

  /** This side with one more event. */
  public ErrorOutcome event(EventType value) {
    List<EventType> more = new ArrayList<>(events);
    more.add(value);
    return new ErrorOutcome(status, state, List.copyOf(more), counters);
  }

  /** This side with more counters, by label. */
  public ErrorOutcome counts(String... labels) {
    List<String> more = new ArrayList<>(counters);
    more.addAll(List.of(labels));
    return new ErrorOutcome(status, state, events, List.copyOf(more));
  }
}
