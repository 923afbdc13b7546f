package org.roce4j.conformance.run;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * How many checks each row makes on the fabric, as a resource says: a row that lost a check would
 * otherwise pass as it did before. A line of the resource is a number and a row, or the first and
 * the last of neighbours that make equally many checks. A run of all rows writes what it counted
 * under {@code target}; after a change that is meant, that file becomes the resource. Times are
 * virtual and numbers are drawn by a seed, so that the counts are the same in every run.
 */
public final class CheckCounts {
  private static final String TO = " .. ";

  private final String name;
  private final List<String> ids;
  private final Map<String, Long> specified = new LinkedHashMap<>();
  private final Map<String, Long> found = new LinkedHashMap<>();

  /**
   * Reads the resource beside this class.
   *
   * @param ids every row, in order
   */
  public CheckCounts(String name, List<String> ids) {
    this.name = name;
    this.ids = ids;
    read().lines().filter(line -> !line.startsWith("#")).forEach(this::read);
  }

  private String read() {
    try (InputStream resource = CheckCounts.class.getResourceAsStream(name)) {
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read(String line) {
    String[] cells = line.strip().split(" ", 2);
    String[] ends = cells[1].split(Pattern.quote(TO));
    int first = ids.indexOf(ends[0]);
    int last = ids.indexOf(ends[ends.length - 1]);
    if (first >= 0 && last >= first) {
      ids.subList(first, last + 1).forEach(id -> specified.put(id, Long.valueOf(cells[0])));
    }
  }

  /** A row that has passed made this number of checks, which must be that of the resource. */
  public void hold(String id, long made) {
    found.put(id, made);
    assertTrue(made > 0, () -> id + " checks nothing");
    assertEquals(specified.get(id), made, () -> "checks of " + id + remedy());
  }

  /** After a run of all rows: writes the numbers of checks, and compares the text, row by row. */
  public void holdAll() throws IOException {
    Path written = Path.of("target", name);
    Files.createDirectories(written.getParent());
    Files.writeString(written, text());
    assertEquals(read(), text(), () -> "the rows have changed" + remedy());
  }

  private String remedy() {
    return "; if that is meant, target/%s of a run of all rows becomes %s beside CheckCounts"
        .formatted(name, name);
  }

  /** A row that failed or was skipped counts nothing. */
  private long made(String id) {
    return found.getOrDefault(id, 0L);
  }

  private String text() {
    List<List<String>> runs = new ArrayList<>();
    for (String id : ids) {
      if (runs.isEmpty() || made(runs.getLast().getLast()) != made(id)) {
        runs.add(new ArrayList<>());
      }
      runs.getLast().add(id);
    }
    return runs.stream()
        .map(
            run ->
                "%4d %s%s\n"
                    .formatted(
                        made(run.getFirst()),
                        run.getFirst(),
                        run.size() > 1 ? TO + run.getLast() : ""))
        .collect(joining("", "# Checks of each row on the fabric; see CheckCounts.\n", ""));
  }
}
