package org.roce4j.tools.cm;

import java.util.function.Consumer;
import org.roce4j.verbs.text.Wording;

/** Prints the durations of the steps of {@code cmtime}. */
final class Steps {
  private static final double US = 1e3;

  private final int connections;
  private final Consumer<String> out;

  Steps(int connections, Consumer<String> out) {
    this.connections = connections;
    this.out = out;
    out.accept(Wording.of("%-14s %12s %12s", "step", "total ms", "us / conn"));
  }

  /** Runs one step of all connections and prints its duration. */
  void time(String name, Runnable step) {
    long startNs = System.nanoTime();
    step.run();
    double us = (System.nanoTime() - startNs) / US;
    out.accept(Wording.of("%-14s %12.2f %12.2f", name, us / 1000, us / connections));
  }
}
