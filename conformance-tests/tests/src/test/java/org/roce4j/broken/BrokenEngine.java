package org.roce4j.broken;

import java.util.List;

/**
 * An engine with one mistake.
 *
 * @param name of the mistake
 * @param always whether every build tries it
 * @param mistake what it does, one sentence
 * @param catchers the suites that are meant to catch it: dialogues by their class, {@code rows
 *     PATTERN}, {@code simulation SEEDS}, {@code healthy SEEDS} (simulation without faults), {@code
 *     outages SEEDS} (with outages alone)
 * @param rules one of which each catcher must name: rules of dialogues, ids of rows, rules of the
 *     simulation
 */
record BrokenEngine(
    String name,
    boolean always,
    String mistake,
    List<String> catchers,
    List<String> rules,
    List<SourceChange> changes) {
  @Override
  public String toString() {
    return name + ": " + mistake;
  }
}
