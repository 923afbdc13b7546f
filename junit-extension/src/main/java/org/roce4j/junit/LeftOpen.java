package org.roce4j.junit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.verbs.text.Wording;

/** The objects that a test has created and not closed, by the line of their creation. */
final class LeftOpen {
  private LeftOpen() {}

  /**
   * One sentence for each line of the program that left objects open.
   *
   * @param ours objects that the extension closes itself
   */
  static List<String> sentences(List<EmulatedDevice> devices, Collection<?> ours) {
    Map<StackTraceElement, List<String>> byLine = new LinkedHashMap<>();
    for (EmulatedDevice device : devices) {
      device
          .openObjects()
          .forEach(
              (object, line) -> {
                if (!ours.contains(object)) {
                  byLine.computeIfAbsent(line, l -> new ArrayList<>()).add(object.toString());
                }
              });
    }
    List<String> all = new ArrayList<>();
    byLine.forEach((line, objects) -> all.add(sentence(line, objects)));
    return all;
  }

  private static String sentence(StackTraceElement line, List<String> objects) {
    String others = objects.size() == 1 ? "" : Wording.of(" and %d more", objects.size() - 1);
    return Wording.of("%s%s, made at %s", objects.getFirst(), others, line);
  }
}
