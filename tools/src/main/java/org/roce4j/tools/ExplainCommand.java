package org.roce4j.tools;

import java.io.PrintWriter;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.Explanation;
import org.roce4j.verbs.text.NearestName;
import org.roce4j.verbs.text.Wording;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code roce4j explain}. */
@Command(
    name = "explain",
    mixinStandardHelpOptions = true,
    header = "Say what a status, an errno, a state, an event, a rejection or a NAK means.",
    description = "%nWithout a name: the names there are.%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j explain REM_ACCESS_ERR",
      "  roce4j explain ENOMEM IBV_EVENT_CQ_ERR",
      "  roce4j explain 'transport retry counter exceeded'",
      "  roce4j explain 28",
      "  roce4j explain NAK_INVALID_REQUEST 0x60",
    })
final class ExplainCommand implements Callable<Integer> {
  private static final Map<String, String> KINDS =
      Map.of(
          "status", "completion status",
          "errno", "error number",
          "state", "state of a queue pair",
          "event", "asynchronous event",
          "cm-event", "event of the connection manager",
          "reject", "reason of a rejected connection",
          "sidr", "SIDR status, an answer of a datagram service",
          "syndrome", "syndrome of an acknowledgement");

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..*",
      description =
          "Such as RETRY_EXC_ERR, EINVAL, RTR, QP_ACCESS_ERR, REJECTED, RNR_NAK, in any case; the"
              + " number of one; or the words that a C program prints.")
  private List<String> names = List.of();

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    if (names.isEmpty()) {
      Explanation.all()
          .forEach(
              row -> out.printf(Locale.ROOT, "%-8s %4s %s%n", row.kind(), number(row), row.name()));
    }
    String between = "";
    for (Explanation row : names.stream().flatMap(name -> rows(name).stream()).toList()) {
      out.printf(
          Locale.ROOT, "%s%s, %s %s%n", between, row.name(), KINDS.get(row.kind()), number(row));
      out.printf(Locale.ROOT, "  means  %s%n", row.meaning());
      list(out, "causes", row.causes());
      list(out, "look", row.look());
      between = System.lineSeparator();
    }
    return 0;
  }

  private static String number(Explanation row) {
    return row.kind().equals("syndrome")
        ? Wording.of("0x%02x", row.number())
        : Integer.toString(row.number());
  }

  private static List<Explanation> rows(String name) {
    List<Explanation> rows = Explanation.find(name);
    if (rows.isEmpty()) {
      throw ToolFailure.usage(
          "'%s' is no status, errno, state, event, reason or NAK: %s", name, instead(name));
    }
    return rows;
  }

  /** The names that contain the word, or the one name that is spelled alike. */
  private static String instead(String name) {
    String part = name.strip().toUpperCase(Locale.ROOT).replaceAll("(?<=\\w)[ -]+", "_");
    Set<String> known = new LinkedHashSet<>();
    Explanation.all().forEach(row -> known.add(row.name()));
    List<String> near =
        known.stream().filter(each -> !part.isEmpty() && each.contains(part)).toList();
    if (near.isEmpty()) {
      near = NearestName.of(part, known).stream().toList();
    }
    return near.isEmpty()
        ? "roce4j explain lists them"
        : "did you mean " + String.join(", ", near) + "?";
  }

  private static void list(PrintWriter out, String heading, String cell) {
    String label = heading;
    for (String each : cell.equals("-") ? new String[0] : cell.split("; ")) {
      out.printf(Locale.ROOT, "  %-6s %s%n", label, each);
      label = "";
    }
  }
}
