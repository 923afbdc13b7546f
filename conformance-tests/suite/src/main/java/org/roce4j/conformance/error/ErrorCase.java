package org.roce4j.conformance.error;

import java.util.List;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WcStatus;

/**
 * An error: its cause, its consequences, and each way to provoke it. Immutable; created by {@link
 * #of} and the withers.
 *
 * @param id a unique and stable name, such as {@code RC-RKEY}
 * @param source its section in docs/specification
 * @param cause the cause in words; with several ways, what they have in common
 * @param errno the errno of the refused call, or null
 * @param requester consequences at the near station
 * @param responder consequences at the far station
 * @param ways the ways to provoke it, one or more
 */
public record ErrorCase(
    Chapter chapter,
    String id,
    String source,
    String cause,
    Errno errno,
    ErrorOutcome requester,
    ErrorOutcome responder,
    List<Way> ways) {

  /**
   * A way to provoke an error.
   *
   * @param id name among the ways of the error; empty for the only way
   * @param words the peculiarity of this way, in words
   */
  public record Way(String id, String words, Provocation provocation) {
    String row() {
      return id.isEmpty() ? "" : "-" + id;
    }
  }

  /** Provokes an error. */
  @FunctionalInterface
  public interface Provocation {
    /**
     * Makes the calls that lead to the error, and returns; the consequences are judged afterwards.
     *
     * @return the queue pairs to judge; null for none
     */
    Scene in(Bench bench);
  }

  /**
   * The queue pairs that an error is about.
   *
   * @param near the requester's, or null
   * @param far the responder's, or null
   * @param afterwards a further check after all consequences
   */
  public record Scene(QueuePair near, QueuePair far, Runnable afterwards) {
    /** A scene without a further check. */
    public Scene(QueuePair near, QueuePair far) {
      this(near, far, () -> {});
    }

    static Scene of(Bench.Pair pair) {
      return new Scene(pair.near(), pair.far());
    }

    Scene then(Runnable more) {
      return new Scene(near, far, more);
    }
  }

  /** An error without consequences; withers add them. */
  static ErrorCase of(
      Chapter chapter, String id, String source, String cause, Provocation provocation) {
    return of(chapter, id, source, cause, List.of(new Way("", "", provocation)));
  }

  /** An error without consequences and with several ways; withers add the consequences. */
  static ErrorCase of(Chapter chapter, String id, String source, String cause, List<Way> ways) {
    return new ErrorCase(
        chapter,
        id,
        source,
        cause,
        null,
        ErrorOutcome.UNHARMED,
        ErrorOutcome.UNHARMED,
        List.copyOf(ways));
  }

  private ErrorCase with(ErrorOutcome near, ErrorOutcome far) {
    return new ErrorCase(chapter, id, source, cause, errno, near, far, ways);
  }

  /** The call is refused with {@code value}. */
  ErrorCase refused(Errno value) {
    return new ErrorCase(chapter, id, source, cause, value, requester, responder, ways);
  }

  ErrorCase requester(WcStatus status, QpState state) {
    return with(requester.status(status).state(state), responder);
  }

  ErrorCase responder(WcStatus status, QpState state) {
    return with(requester, responder.status(status).state(state));
  }

  ErrorCase requesterEvent(EventType event) {
    return with(requester.event(event), responder);
  }

  ErrorCase responderEvent(EventType event) {
    return with(requester, responder.event(event));
  }

  ErrorCase requesterCounts(String... labels) {
    return with(requester.counts(labels), responder);
  }

  ErrorCase responderCounts(String... labels) {
    return with(requester, responder.counts(labels));
  }

  /** The rows of the suite that hold a backend to it, one for each way. */
  public List<Row> rows() {
    return ways.stream()
        .map(
            way ->
                new Row(
                    "ERR-" + id + way.row(),
                    source,
                    way.words().isEmpty() ? cause : cause + ": " + way.words(),
                    bench -> new Judgement(bench, this).pass(way.provocation())))
        .toList();
  }
}
