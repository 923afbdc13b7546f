package org.roce4j.tools;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.Explanation;
import org.roce4j.verbs.text.Wording;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code roce4j explain}. */
@Command(
    name = "explain",
    mixinStandardHelpOptions = true,
    header = "Say what a status, an errno, a state or an event means.",
    description = "%nWithout a name: the names there are.%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j explain REM_ACCESS_ERR",
      "  roce4j explain ENOMEM IBV_EVENT_CQ_ERR",
    })
final class ExplainCommand implements Callable<Integer> {
  private static final Map<String, String> KINDS =
      Map.of(
          "status", "completion status",
          "errno", "error number",
          "state", "state of a queue pair",
          "event", "asynchronous event");

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..*",
      description = "Such as RETRY_EXC_ERR, EINVAL, RTR, QP_ACCESS_ERR; in any case.")
  private List<String> names = List.of();

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    List<Explanation> rows = names.stream().map(ExplainCommand::row).toList();
    if (rows.isEmpty()) {
      Explanation.all()
          .forEach(row -> out.printf(Locale.ROOT, "%-7s %s%n", row.kind(), row.name()));
    }
    String between = "";
    for (Explanation row : rows) {
      out.printf(Locale.ROOT, "%s%s, %s%n", between, row.name(), KINDS.get(row.kind()));
      out.printf(Locale.ROOT, "  means  %s%n", row.meaning());
      list(out, "causes", row.causes());
      list(out, "look", row.look());
      between = System.lineSeparator();
    }
    return 0;
  }

  private static Explanation row(String name) {
    return Explanation.of(name)
        .orElseThrow(
            () ->
                ToolFailure.usage(
                    Wording.of(
                        "'%s' is no status, errno, state or event: roce4j explain lists them",
                        name)));
  }

  private static void list(PrintWriter out, String heading, String cell) {
    String label = heading;
    for (String each : cell.equals("-") ? new String[0] : cell.split("; ")) {
      out.printf(Locale.ROOT, "  %-6s %s%n", label, each);
      label = "";
    }
  }
}
