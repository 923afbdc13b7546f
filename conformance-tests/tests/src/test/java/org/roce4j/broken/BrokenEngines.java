package org.roce4j.broken;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The mistakes, read from text files. Each begins with {@code == name}, and a star if every build
 * tries it; then come its sentence, its {@code catchers:} and {@code rules:}, and the changes as
 * diffs: {@code @@ module class}, lines that begin with a space (context), {@code -} or {@code +}.
 */
final class BrokenEngines {
  private static final List<String> FILES =
      List.of("requester", "responder", "memory", "queues", "services", "engines");
  private static final Pattern CHANGE = Pattern.compile("@@ (\\S+) (\\S+)");

  private BrokenEngines() {}

  static List<BrokenEngine> all() {
    return FILES.stream().flatMap(file -> parse(file, read(file)).stream()).toList();
  }

  private static String read(String file) {
    try (InputStream in = BrokenEngines.class.getResourceAsStream(file + ".diffs")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<BrokenEngine> parse(String file, String text) {
    List<BrokenEngine> engines = new ArrayList<>();
    for (String part : text.split("(?m)^== ")) {
      if (!part.isBlank() && !part.startsWith("#")) {
        engines.add(engine(file, part.lines().toList()));
      }
    }
    return engines;
  }

  private static BrokenEngine engine(String file, List<String> lines) {
    List<SourceChange> changes = new ArrayList<>();
    for (int i = 4; i < lines.size(); i++) {
      Matcher change = CHANGE.matcher(lines.get(i));
      if (change.matches()) {
        int end = i + 1;
        while (end < lines.size() && !lines.get(end).isEmpty() && lines.get(end).charAt(0) != '@') {
          end++;
        }
        changes.add(change(change.group(1), change.group(2), lines.subList(i + 1, end)));
      }
    }
    return new BrokenEngine(
        file + "/" + lines.get(0).replace(" *", ""),
        lines.get(0).endsWith(" *"),
        lines.get(1).strip(),
        words(lines.get(2), "catchers: "),
        words(lines.get(3), "rules: "),
        List.copyOf(changes));
  }

  private static List<String> words(String line, String label) {
    if (!line.startsWith(label)) {
      throw new IllegalArgumentException("expected " + label + " but found " + line);
    }
    return Arrays.stream(line.substring(label.length()).split(",")).map(String::strip).toList();
  }

  private static SourceChange change(String module, String className, List<String> diff) {
    return new SourceChange(module, className, without(diff, '+'), without(diff, '-'));
  }

  private static List<String> without(List<String> diff, char sign) {
    return diff.stream()
        .filter(line -> line.charAt(0) != sign)
        .map(line -> line.substring(1))
        .toList();
  }
}
