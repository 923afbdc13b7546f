package org.roce4j.conformance.remote;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.roce4j.conformance.Rule;
import org.roce4j.conformance.remote.WireDialogue.FabricSetup;
import org.roce4j.conformance.remote.WireDialogue.Wires;

/**
 * Reads dialogues as docs/conformance.md describes them: an id and a title, indented what is held
 * and with which setup, then {@link Statement}s. What stands deeper below an {@code each} is
 * repeated.
 *
 * <pre>
 * NAK-PARTIAL_$first: a sequence NAK inside a message repeats it from there
 *   holds GO_BACK everywhere SQ_PSN=$first
 *   for $first in 0x111111 0xfffffe
 *   postsSend 1 300
 *   hears sendFirst 0 bytes 0 256, sendLast 1 bytes 256 300 ackReq
 *   each $i in 0..2
 *     says sequenceNak 1 0
 *     hears sendLast 1 bytes 256 300 ackReq
 * </pre>
 */
final class Script {
  private static final String EACH = "each ";
  private static final Pattern RANGE = Pattern.compile("(\\d+)\\.\\.(\\d+)");

  private final List<WireDialogue> dialogues = new ArrayList<>();

  private Script() {}

  /**
   * Reads the dialogues of a text. A dialogue with {@code for} is repeated for each row of values.
   *
   * @throws IllegalArgumentException if the text is not a script
   */
  static List<WireDialogue> read(String text) {
    Script script = new Script();
    List<String> block = new ArrayList<>();
    for (String line : (text + "\n").split("\n", -1)) {
      if (line.isBlank()) {
        script.add(block);
        block.clear();
      } else if (!block.isEmpty() && block.getLast().endsWith(",")) {
        block.set(block.size() - 1, block.getLast() + " " + line.strip());
      } else if (!line.startsWith("#")) {
        block.add(line.stripTrailing());
      }
    }
    return script.dialogues;
  }

  private void add(List<String> block) {
    if (block.isEmpty()) {
      return;
    }
    if (block.size() < 3 || !block.get(2).strip().startsWith("for ")) {
      dialogues.add(dialogue(block));
      return;
    }
    List<String> words = Words.of(block.get(2));
    List<List<String>> rows = rows(words);
    List<String> lines = new ArrayList<>(block.subList(0, 2));
    for (String line : block.subList(3, block.size())) {
      if (line.strip().startsWith("|")) {
        rows.add(Stream.of(line.strip().substring(1).split("\\|")).map(String::strip).toList());
      } else {
        lines.add(line);
      }
    }
    for (List<String> row : rows) {
      dialogues.add(dialogue(filled(lines, names(words), row)));
    }
  }

  /** The names in {@code for $a $b in ...}. */
  private static List<String> names(List<String> words) {
    int in = words.indexOf("in");
    return words.subList(1, in < 0 ? words.size() : in);
  }

  /**
   * The rows of values after {@code in}. Commas separate the values of a row; {@code 0..7} stands
   * for eight rows.
   */
  private static List<List<String>> rows(List<String> words) {
    List<List<String>> rows = new ArrayList<>();
    int in = words.indexOf("in");
    for (String word : in < 0 ? List.<String>of() : words.subList(in + 1, words.size())) {
      Matcher range = RANGE.matcher(word);
      if (range.matches()) {
        int last = Integer.parseInt(range.group(2));
        for (int i = Integer.parseInt(range.group(1)); i <= last; i++) {
          rows.add(List.of("" + i));
        }
      } else {
        rows.add(List.of(word.split(",")));
      }
    }
    return rows;
  }

  /** The statements in order, those below an {@code each} repeated for each of its rows. */
  private static List<String> unrolled(List<String> lines) {
    List<String> statements = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (!line.strip().startsWith(EACH)) {
        statements.add(line.strip());
        continue;
      }
      int first = i + 1;
      while (i + 1 < lines.size() && indentation(lines.get(i + 1)) > indentation(line)) {
        i++;
      }
      List<String> body = lines.subList(first, i + 1);
      List<String> words = Words.of(line);
      for (List<String> row : rows(words)) {
        statements.addAll(unrolled(filled(body, names(words), row)));
      }
    }
    return statements;
  }

  private static int indentation(String line) {
    return line.length() - line.stripLeading().length();
  }

  private static List<String> filled(List<String> lines, List<String> names, List<String> row) {
    return lines.stream().map(line -> filled(line, names, row)).toList();
  }

  /** A line in which the names are replaced by the values of a row. */
  private static String filled(String line, List<String> names, List<String> values) {
    String filled = line;
    for (int i = 0; i < names.size(); i++) {
      filled = filled.replaceAll(Pattern.quote(names.get(i)) + "\\b", values.get(i));
    }
    return filled;
  }

  private static WireDialogue dialogue(List<String> lines) {
    int colon = lines.getFirst().indexOf(": ");
    List<String> holds = Words.of(lines.get(1));
    if (colon < 0 || !holds.getFirst().equals("holds")) {
      throw new IllegalArgumentException("no dialogue: " + lines.getFirst());
    }
    SubjectSetup setup = SubjectSetup.rc();
    boolean everywhere = false;
    Wires wires = Wires.ALL;
    FabricSetup fabric = FabricSetup.USUAL;
    for (String word : holds.subList(2, holds.size())) {
      FabricSetup changed = fabric.reading(word);
      switch (word) {
        case "everywhere" -> everywhere = true;
        case "fabric" -> wires = Wires.FABRIC;
        default -> {
          fabric = changed == null ? fabric : changed;
          setup = changed == null ? setup.reading(word) : setup;
        }
      }
    }
    return new WireDialogue(
        "DLG-" + lines.getFirst().substring(0, colon),
        Rule.valueOf(holds.get(1)),
        lines.getFirst().substring(colon + 2),
        setup,
        script(unrolled(lines.subList(2, lines.size()))),
        everywhere,
        wires,
        fabric);
  }

  private static Consumer<Talk> script(List<String> statements) {
    return talk -> {
      for (String statement : statements) {
        try {
          Statement.run(talk, statement);
        } catch (AssertionError e) {
          throw new AssertionError("`" + statement + "`: " + e.getMessage(), e);
        }
      }
    };
  }
}
