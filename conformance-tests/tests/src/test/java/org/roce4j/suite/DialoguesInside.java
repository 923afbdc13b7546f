package org.roce4j.suite;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.conformance.dialogue.WireDialogueTest;
import org.roce4j.conformance.remote.WireDialogue;
import org.roce4j.conformance.remote.WireDialogues;

/** Dialogues for any device, on the fabric. */
public final class DialoguesInside {
  private DialoguesInside() {}

  /** The complaints of the dialogues that hold a rule. */
  public static List<String> complaints(String rule) {
    List<String> complaints = new ArrayList<>();
    for (WireDialogue dialogue : WireDialogues.all()) {
      if (dialogue.rule().name().equals(rule)) {
        try {
          WireDialogueTest.hold(dialogue);
        } catch (AssertionError e) {
          complaints.add(dialogue.id() + ": " + e.getMessage());
        }
      }
    }
    return complaints;
  }
}
