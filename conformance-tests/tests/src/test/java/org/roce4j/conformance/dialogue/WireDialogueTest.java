package org.roce4j.conformance.dialogue;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.remote.LocalSubject;
import org.roce4j.conformance.remote.Subject;
import org.roce4j.conformance.remote.SubjectSetup;
import org.roce4j.conformance.remote.SubjectSetup.Attribute;
import org.roce4j.conformance.remote.Talk;
import org.roce4j.conformance.remote.WireDialogue;
import org.roce4j.conformance.remote.WireDialogues;
import org.roce4j.conformance.run.CheckCounts;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Limit;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.LinkModel;
import org.roce4j.verbs.Gid;

/**
 * Every dialogue of the target suite in virtual time, with every bit and every time exact, and the
 * number of its checks.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public class WireDialogueTest {
  private static final int QPN = 0xabcd;

  private final List<WireDialogue> dialogues = WireDialogues.all();
  private final CheckCounts counts =
      new CheckCounts("checks-of-dialogues.txt", dialogues.stream().map(WireDialogue::id).toList());
  private int ran;

  @TestFactory
  Stream<DynamicTest> dialogues() {
    return dialogues.stream()
        .map(it -> DynamicTest.dynamicTest(it.id() + ": " + it.title(), () -> run(it)));
  }

  void run(WireDialogue dialogue) {
    ran++;
    long before = Expect.made();
    hold(dialogue);
    counts.hold(dialogue.id(), Expect.made() - before);
  }

  @AfterAll
  void countsEveryCheck() throws IOException {
    if (ran == dialogues.size()) {
      counts.holdAll();
    }
  }

  /** Holds a dialogue on a fabric of its own; a failure names the rule. */
  public static void hold(WireDialogue dialogue) {
    try {
      play(dialogue);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(dialogue.rule() + System.lineSeparator() + e.getMessage(), e);
    }
  }

  private static void play(WireDialogue dialogue) {
    FabricOptions options = FabricOptions.of(1).withLink(LinkModel.PERFECT.withDelayNs(0));
    SubjectSetup setup = dialogue.setup().with(Attribute.DEST_QPN, QPN);
    DeviceLimits limits = DeviceLimits.DEFAULT;
    for (var limit : dialogue.fabric().limits().entrySet()) {
      limits = limits.with(Limit.valueOf(limit.getKey()), limit.getValue());
    }
    Gid[] addresses = dialogue.fabric().device().toArray(Gid[]::new);
    Gid[] peers = dialogue.fabric().peers().toArray(Gid[]::new);
    try (Fabric fabric = new Fabric(options)) {
      VirtualDevice device = new VirtualDevice(fabric, limits, EngineTrace.NONE, addresses);
      FabricWire wire = new FabricWire(fabric, addresses[0], peers);
      LocalSubject.Clock clock =
          (condition, wait) -> {
            fabric.runUntil(() -> false, fabric.nowNs());
            return condition.getAsBoolean();
          };
      try (Subject subject = new LocalSubject(device.open(), 0, peers[0], setup, clock)) {
        dialogue.script().accept(new Talk(new Dialogue(wire), subject, setup, QPN));
      }
    }
  }
}
