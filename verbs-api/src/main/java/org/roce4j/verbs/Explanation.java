package org.roce4j.verbs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a name of the API means: a completion status, an errno, a state of a queue pair, an
 * asynchronous event. One table for exceptions, tests, documents and {@code ./roce4j explain}.
 * Immutable.
 *
 * @param kind {@code status}, {@code errno}, {@code state} or {@code event}
 * @param name such as {@code REM_ACCESS_ERR}
 * @param meaning a clause without a full stop
 * @param causes the usual ones, separated by semicolons
 * @param look where to look, separated by semicolons
 */
public record Explanation(String kind, String name, String meaning, String causes, String look) {
  private static final int COLUMNS = 5;

  /** Loaded when the first explanation is requested: programs without errors do not need it. */
  private static final class Table {
    private static final Map<String, Explanation> ROWS = read();

    private static Map<String, Explanation> read() {
      Map<String, Explanation> rows = new LinkedHashMap<>();
      try (BufferedReader in =
          new BufferedReader(
              new InputStreamReader(
                  Explanation.class.getResourceAsStream("explanations.txt"),
                  StandardCharsets.UTF_8))) {
        in.lines()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split(" \\| ", COLUMNS))
            .map(c -> new Explanation(c[0], c[1], c[2], c[3], c[4]))
            .forEach(row -> rows.put(row.name, row));
        return rows;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** All rows, in the order of the table. */
  public static List<Explanation> all() {
    return List.copyOf(Table.ROWS.values());
  }

  /** What a completion status means. */
  public static Explanation of(WcStatus status) {
    return Table.ROWS.get(RequiredArgument.check(status, "status").name());
  }

  /**
   * What a name means.
   *
   * @param name of a status, errno, state or event, in any case, with or without {@code IBV_WC_}
   *     and the like before it
   */
  public static Optional<Explanation> of(String name) {
    String upper =
        RequiredArgument.check(name, "name")
            .toUpperCase(Locale.ROOT)
            .replaceFirst("^IBV_(WC|QPS|EVENT)_", "");
    Explanation row = Table.ROWS.get(upper);
    return Optional.ofNullable(row == null ? ofErrno(upper) : row);
  }

  /** Linux has more errnos than verbs give: the text of strerror. */
  private static Explanation ofErrno(String name) {
    for (Errno errno : Errno.values()) {
      if (errno.name().equals(name)) {
        return new Explanation("errno", name, errno.text(), "none of a verb here", "man 3 errno");
      }
    }
    return null;
  }
}
