package org.roce4j.conformance.error;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;

/** Writes {@code docs/errors.md} from {@link ErrorTable}. */
public final class ErrorDocument {
  private static final String NOTHING = "-";

  private static final String PREFACE =
      """
      # Errors

      <!-- Written by `./roce4j conformance --error-table` from org.roce4j.conformance.error; a test compares. Do not edit by hand. -->

      What each error leads to: the status of the request, the status of the receive that its message came to, the state of both queue
      pairs, asynchronous events, and the counters that tell of it (`./roce4j stats`, `Context.counters()`). `-` is none: no completion, no
      event, no counter. Events and counters bear the side: *here* is the requester, or who calls; *there* is the responder.

      Every row is a test: `mvn verify` provokes it on the virtual network and on both socket ports, `linux` and `netty`, and looks at
      every column. On the virtual network no other event, completion or counter of an error is allowed. Where several things
      lead to the same, each is provoked by a row of its own, whose name goes on with what stands behind it. By hand, one or all of them:

      ```
      ./roce4j conformance --backend udp --transport netty --only ERR-RC-RECV_LKEY
      ```

      Completions in error are counted besides what the table says: `req_cqe_error` and `req_cqe_flush_error` of requests, `resp_cqe_error` and
      `resp_cqe_flush_error` of receives. Counters that Linux rxe has bear its names, others mlx5's where it has them. What the messages of
      our programs mean stands in [troubleshooting.md](troubleshooting.md), the rules behind the rows in [specification/](specification/).
      """;

  private ErrorDocument() {}

  /** The whole document. */
  public static String markdown() {
    StringBuilder out = new StringBuilder(PREFACE);
    for (Chapter chapter : Chapter.values()) {
      List<ErrorCase> cases =
          ErrorTable.cases().stream().filter(error -> error.chapter() == chapter).toList();
      out.append("\n## ").append(chapter.title()).append("\n\n");
      out.append(chapter.preface()).append("\n\n");
      switch (chapter) {
        case LIMITS -> limits(out, cases);
        case UNDER_WAY -> states(out, cases);
        case EVENTS -> calls(out, cases);
        default -> errors(out, cases);
      }
    }
    return out.toString();
  }

  private static void errors(StringBuilder out, List<ErrorCase> cases) {
    out.append("| row | cause | requester | responder | asynchronous event | counter |\n");
    out.append("|---|---|---|---|---|---|\n");
    for (ErrorCase error : cases) {
      row(
          out,
          id(error),
          cause(error),
          outcome(error.requester()),
          outcome(error.responder()),
          events(error),
          counters(error));
    }
  }

  /** The cause, then the words of each way with the end of its row's name. */
  private static String cause(ErrorCase error) {
    String ways =
        error.ways().stream()
            .filter(way -> !way.words().isEmpty())
            .map(way -> way.words() + " (`" + way.row() + "`)")
            .collect(Collectors.joining("; "));
    return ways.isEmpty() ? error.cause() : error.cause() + ": " + ways;
  }

  /**
   * A line for each call and service. Its consequences are the same in all states, events excepted.
   */
  private static void states(StringBuilder out, List<ErrorCase> cases) {
    List<QpState> states = UnderWayCases.ALL_STATES;
    out.append("| row | caller | peer | counter |");
    states.forEach(state -> out.append(" `-").append(state).append("` |"));
    out.append("\n|---|---|---|---|").append("---|".repeat(states.size())).append('\n');
    Map<String, List<ErrorCase>> lines =
        cases.stream()
            .collect(
                Collectors.groupingBy(
                    error -> error.id().substring(0, error.id().lastIndexOf('-')),
                    LinkedHashMap::new,
                    Collectors.toList()));
    lines.forEach(
        (id, line) -> {
          ErrorCase first = line.getFirst();
          List<String> cells =
              new ArrayList<>(
                  List.of(
                      "`ERR-" + id + "`",
                      outcome(first.requester()),
                      outcome(first.responder()),
                      counters(first)));
          for (QpState state : states) {
            cells.add(
                line.stream()
                    .filter(error -> error.id().equals(id + "-" + state))
                    .peek(error -> same(first, error))
                    .map(ErrorDocument::events)
                    .findFirst()
                    .orElse(""));
          }
          row(out, cells.toArray(String[]::new));
        });
  }

  private static void same(ErrorCase first, ErrorCase other) {
    if (!outcome(first.requester()).equals(outcome(other.requester()))
        || !outcome(first.responder()).equals(outcome(other.responder()))
        || !counters(first).equals(counters(other))) {
      throw new IllegalStateException(
          other.id() + " does not lead to what " + first.id() + " does");
    }
  }

  private static void limits(StringBuilder out, List<ErrorCase> cases) {
    out.append("| row | what there is a limit of | the call beyond it |\n|---|---|---|\n");
    for (ErrorCase error : cases) {
      row(out, id(error), error.cause(), error.errno().name());
    }
  }

  private static void calls(StringBuilder out, List<ErrorCase> cases) {
    out.append("| row | call |\n|---|---|\n");
    for (ErrorCase error : cases) {
      row(out, id(error), error.cause());
    }
  }

  private static void row(StringBuilder out, String... cells) {
    out.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  private static String id(ErrorCase error) {
    return "`ERR-" + error.id() + "`";
  }

  private static String outcome(ErrorOutcome side) {
    String status = status(side.status());
    return side.state() == null ? status : status + ", " + state(side.state());
  }

  private static String status(WcStatus status) {
    return status == null ? NOTHING : status.name();
  }

  private static String state(QpState state) {
    return state.name();
  }

  private static String events(ErrorCase error) {
    return bothSides(
        error.requester().events().stream().map(EventType::name).toList(),
        error.responder().events().stream().map(EventType::name).toList());
  }

  private static String counters(ErrorCase error) {
    return bothSides(quoted(error.requester()), quoted(error.responder()));
  }

  private static List<String> quoted(ErrorOutcome side) {
    List<String> causes =
        side.counters().stream().filter(label -> !isOfCompletions(label)).toList();
    return (causes.isEmpty() ? side.counters() : causes)
        .stream().map(label -> "`" + label + "`").toList();
  }

  /** Whether a counter counts completions in error, which adds nothing to the status. */
  private static boolean isOfCompletions(String label) {
    return label.startsWith("resp_cqe_") || label.startsWith("req_cqe_");
  }

  private static String bothSides(List<String> here, List<String> there) {
    String text =
        List.of(side("here", here), side("there", there)).stream()
            .filter(words -> !words.isEmpty())
            .collect(Collectors.joining("; "));
    return text.isEmpty() ? NOTHING : text;
  }

  private static String side(String which, List<String> words) {
    return words.isEmpty() ? "" : which + " " + String.join(", ", words);
  }
}
