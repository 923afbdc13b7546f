package org.roce4j.conformance.remote;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.roce4j.conformance.Rule;
import org.roce4j.conformance.remote.SubjectSetup.Attribute;
import org.roce4j.conformance.remote.WireDialogue.Wires;

/**
 * Reads dialogues as docs/conformance.md describes them: an id and a title, indented what is held
 * and with which setup, then statements, each a method of {@link Talk} or of its dialogue.
 *
 * <pre>
 * NAK-PARTIAL_$first: a sequence NAK inside a message repeats it from there
 *   holds GO_BACK everywhere SQ_PSN=$first
 *   for $first in 0x111111 0xfffffe
 *   postsSend 1 300
 *   hears sendFirst 0 bytes 0 256, sendLast 1 bytes 256 300 ackReq
 *   says sequenceNak 1 0
 *   hears sendLast 1 bytes 256 300 ackReq
 * </pre>
 */
final class Script {
  private static final String LIMIT = "limit.";

  private final List<WireDialogue> dialogues = new ArrayList<>();

  private Script() {}

  /**
   * The dialogues of a text, those of a {@code for} once for each row of values.
   *
   * @throws IllegalArgumentException if it is none
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
        block.add(line.strip());
      }
    }
    return script.dialogues;
  }

  private void add(List<String> block) {
    if (block.isEmpty()) {
      return;
    }
    if (block.size() < 3 || !block.get(2).startsWith("for ")) {
      dialogues.add(dialogue(block));
      return;
    }
    List<String> words = Words.of(block.get(2));
    int in = words.indexOf("in");
    List<String> names = words.subList(1, in < 0 ? words.size() : in);
    List<List<String>> rows = new ArrayList<>();
    if (in >= 0) {
      words.subList(in + 1, words.size()).forEach(row -> rows.add(List.of(row.split(","))));
    }
    List<String> lines = new ArrayList<>(block.subList(0, 2));
    for (String line : block.subList(3, block.size())) {
      if (line.startsWith("|")) {
        rows.add(Stream.of(line.substring(1).split("\\|")).map(String::strip).toList());
      } else {
        lines.add(line);
      }
    }
    for (List<String> row : rows) {
      dialogues.add(dialogue(lines.stream().map(line -> filled(line, names, row)).toList()));
    }
  }

  /** A line with the values of a row in the place of their names. */
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
    Map<String, Long> limits = new TreeMap<>();
    for (String word : holds.subList(2, holds.size())) {
      switch (word) {
        case "everywhere" -> everywhere = true;
        case "fabric" -> wires = Wires.FABRIC;
        case "real" -> wires = Wires.REAL;
        case "uc" -> setup = setup.with(Attribute.QP_TYPE, 3);
        case "xrcSend" -> setup = setup.with(Attribute.QP_TYPE, 9);
        case "xrcRecv" -> setup = setup.with(Attribute.QP_TYPE, 10);
        case "ud" -> setup = setup.with(Attribute.QP_TYPE, 4);
        default -> {
          if (word.startsWith(LIMIT)) {
            String[] parts = word.substring(LIMIT.length()).split("=");
            limits.put(parts[0], Long.valueOf(parts[1]));
          } else {
            setup = with(setup, word);
          }
        }
      }
    }
    return new WireDialogue(
        "DLG-" + lines.getFirst().substring(0, colon),
        Rule.valueOf(holds.get(1)),
        lines.getFirst().substring(colon + 2),
        setup,
        script(List.copyOf(lines.subList(2, lines.size()))),
        everywhere,
        wires,
        limits);
  }

  private static SubjectSetup with(SubjectSetup setup, String word) {
    String[] parts = word.split("=");
    int value = (int) Expression.value(parts[1], Numbers::flag);
    return setup.with(Attribute.valueOf(parts[0]), value);
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
