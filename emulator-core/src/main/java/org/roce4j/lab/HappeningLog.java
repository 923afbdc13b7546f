package org.roce4j.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.roce4j.lab.Happening.Kind;

/** The events so far, in order. */
final class HappeningLog {
  private final LongSupplier clock;
  private final List<Happening> all = new ArrayList<>();
  private int action;

  HappeningLog(LongSupplier clock) {
    this.clock = clock;
  }

  /** Adds an action of the player; later events follow it. */
  void act(String text) {
    action++;
    add(Kind.ACTION, "", text);
  }

  void add(Kind kind, String who, String what) {
    all.add(new Happening(clock.getAsLong(), action, kind, who, what));
  }

  /** The number of the current action. */
  int action() {
    return action;
  }

  int size() {
    return all.size();
  }

  List<Happening> all() {
    return List.copyOf(all);
  }
}
