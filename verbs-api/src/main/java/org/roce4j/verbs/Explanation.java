package org.roce4j.verbs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a name or a number of the API means: a completion status, an errno, a state of a queue pair,
 * an asynchronous event, an event of the connection manager, a reason of a rejection, a syndrome of
 * an acknowledgement. One table for exceptions, tests, documents and {@code ./roce4j explain}.
 * Immutable.
 *
 * @param kind {@code status}, {@code errno}, {@code state}, {@code event}, {@code cm-event}, {@code
 *     reject}, {@code sidr} or {@code syndrome}
 * @param name such as {@code REM_ACCESS_ERR}
 * @param number the name's value in C; of a syndrome the byte of the AETH, of a class of them its
 *     usual one
 * @param meaning a clause without a full stop
 * @param causes the usual ones, separated by semicolons
 * @param look where to look, separated by semicolons
 */
public record Explanation(
    String kind, String name, int number, String meaning, String causes, String look) {
  private static final int COLUMNS = 6;
  private static final Pattern PREFIX =
      Pattern.compile("^(IBV_(WC|QPS|EVENT)|RDMA_CM_EVENT|IB_CM_REJ|IB_SIDR|AETH)_");

  /** As {@code ./roce4j inspect} writes the time of an RNR NAK. */
  private static final Pattern WAIT = Pattern.compile("_WAIT_[0-9.]+_MS$");

  private static final Pattern SYNDROME = Pattern.compile("0X[0-9A-F]{1,2}");

  /** Loaded when the first explanation is requested: programs without errors do not need it. */
  private static final class Table {
    private static final List<Explanation> ROWS = read();

    private static List<Explanation> read() {
      try (BufferedReader in =
          new BufferedReader(
              new InputStreamReader(
                  Explanation.class.getResourceAsStream("explanations.txt"),
                  StandardCharsets.UTF_8))) {
        return in.lines()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split(" \\| ", COLUMNS))
            .map(c -> new Explanation(c[0], c[1], Integer.parseInt(c[2]), c[3], c[4], c[5]))
            .toList();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** All rows, in the order of the table. */
  public static List<Explanation> all() {
    return Table.ROWS;
  }

  /** What a completion status means. */
  public static Explanation of(WcStatus status) {
    return Table.ROWS.get(RequiredArgument.check(status, "status").ordinal());
  }

  /**
   * What is called so; several where kinds share a name or a number, none where nothing is.
   *
   * @param words a name in any case, with or without {@code IBV_WC_}, {@code RDMA_CM_EVENT_} and
   *     the like before it; the text that C programs print for it ({@code ibv_wc_status_str},
   *     {@code ibv_event_type_str}, {@code strerror}); or its number, which with a minus is an
   *     errno and as {@code 0x60} a syndrome
   */
  public static List<Explanation> find(String words) {
    String text = RequiredArgument.check(words, "words").strip();
    String upper = text.toUpperCase(Locale.ROOT).replaceAll("(?<=\\w)[ -]+", "_");
    String name = WAIT.matcher(PREFIX.matcher(upper).replaceFirst("")).replaceFirst("");
    return Stream.concat(Table.ROWS.stream(), furtherErrnos())
        .filter(row -> row.isCalled(name) || row.text().equalsIgnoreCase(text))
        .toList();
  }

  private boolean isCalled(String upper) {
    if (kind.equals("syndrome")) {
      return name.equals(upper)
          || SYNDROME.matcher(upper).matches() && number == classOf(Integer.decode(upper));
    }
    return name.equals(upper)
        || upper.equals(Integer.toString(number))
        || (kind.equals("errno") && upper.equals("-" + number));
  }

  /** The row of a syndrome: bits 5 and 6 are the type, the lower five its value. */
  private static int classOf(int syndrome) {
    return switch (syndrome >> 5) {
      case 0 -> 0x1f;
      case 1 -> 0x20;
      case 3 -> syndrome <= 0x64 ? syndrome : 0x40;
      default -> 0x40;
    };
  }

  /** What C programs print for it. */
  private String text() {
    return switch (kind) {
      case "status" -> WcStatus.describe(number);
      case "event" -> EventType.describe(number);
      case "errno" -> Errno.valueOf(name).text();
      default -> name;
    };
  }

  /** Linux has more errnos than verbs give: the text of strerror. */
  private static Stream<Explanation> furtherErrnos() {
    Set<String> told = Table.ROWS.stream().map(Explanation::name).collect(Collectors.toSet());
    return Stream.of(Errno.values())
        .filter(errno -> !told.contains(errno.name()))
        .map(
            errno ->
                new Explanation(
                    "errno",
                    errno.name(),
                    errno.number(),
                    errno.text(),
                    "none of a verb here",
                    "man 3 errno"));
  }
}
