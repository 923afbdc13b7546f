package org.roce4j.conformance.run;

import java.util.concurrent.atomic.LongAdder;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Prints at the end how many properties and dialogues were held against the engine; rows are
 * counted by their own tests. Registered as a service, so that every run has it.
 */
public final class SpecificationCount implements TestExecutionListener {
  private final Tally properties = new Tally();
  private final Tally dialogues = new Tally();

  private static final class Tally {
    private final LongAdder held = new LongAdder();
    private final LongAdder others = new LongAdder();

    void add(TestExecutionResult result) {
      (result.getStatus() == TestExecutionResult.Status.SUCCESSFUL ? held : others).increment();
    }

    boolean any() {
      return held.sum() + others.sum() > 0;
    }

    @Override
    public String toString() {
      return "%d held, %d did not".formatted(held.sum(), others.sum());
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (!test.isTest()) {
      return;
    }
    UniqueId id = test.getUniqueIdObject();
    if (id.getEngineId().filter("jqwik"::equals).isPresent()) {
      properties.add(result);
    } else if (id.toString().contains("org.roce4j.conformance.dialogue.")) {
      dialogues.add(result);
    }
  }

  @Override
  public void testPlanExecutionFinished(TestPlan plan) {
    if (properties.any() || dialogues.any()) {
      System.out.println(
          "conformance properties: %s; dialogues: %s".formatted(properties, dialogues));
    }
  }
}
