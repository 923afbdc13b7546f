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
 * One error: its cause, what it leads to, and each way to get there. Immutable; made by {@link #of}
 * and the withers.
 *
 * @param id unique and stable, such as {@code RC-RKEY}
 * @param source where it stands in docs/specification
 * @param cause in words, for people; of several ways, what they have in common
 * @param errno what a call is refused with, or null
 * @param requester the near station's side
 * @param responder the far station's side
 * @param ways what makes it happen, one or more
 */
public record ErrorCase(
    Chapter chapter,
    String id,
    String source,
    String cause,
    Errno errno,
    Side requester,
    Side responder,
    List<Way> ways) {

  /**
   * A way to the error.
   *
   * @param id distinguishes it from the error's others; empty if it is the only one
   * @param words what is particular, for people
   */
  public record Way(String id, String words, Provocation provocation) {
    String row() {
      return id.isEmpty() ? "" : "-" + id;
    }
  }

  /** Makes an error happen. */
  @FunctionalInterface
  public interface Provocation {
    /**
     * Returns when what the row speaks of was posted or called; what follows is judged.
     *
     * @return whose states are looked at; null for none
     */
    Scene in(Bench bench);
  }

  /**
   * The queue pairs that a row speaks of.
   *
   * @param near of the requester, or null
   * @param far of the responder, or null
   * @param afterwards what else must hold once everything has happened
   */
  public record Scene(QueuePair near, QueuePair far, Runnable afterwards) {
    /** Nothing is to be done afterwards. */
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

  /** An error that harms nobody, until the withers say more. */
  static ErrorCase of(
      Chapter chapter, String id, String source, String cause, Provocation provocation) {
    return of(chapter, id, source, cause, List.of(new Way("", "", provocation)));
  }

  /** The same, with several ways to it. */
  static ErrorCase of(Chapter chapter, String id, String source, String cause, List<Way> ways) {
    return new ErrorCase(
        chapter, id, source, cause, null, Side.UNHARMED, Side.UNHARMED, List.copyOf(ways));
  }

  private ErrorCase with(Side near, Side far) {
    return new ErrorCase(chapter, id, source, cause, errno, near, far, ways);
  }

  /** A call is refused with this. */
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

  /** The rows of the suite that hold it against a backend: one for each way. */
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
