package org.roce4j.conformance.remote;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Every dialogue that can be held with a device at an address. */
public final class WireDialogues {
  private WireDialogues() {}

  /** All of them; ids are unique. */
  public static List<WireDialogue> all() {
    List<WireDialogue> all =
        Stream.of(
                ResponderDialogues.all(),
                RefusalDialogues.all(),
                AnswerDialogues.all(),
                RequesterDialogues.all(),
                ServiceDialogues.all())
            .flatMap(List::stream)
            .toList();
    Set<String> ids = new HashSet<>();
    for (WireDialogue dialogue : all) {
      if (!ids.add(dialogue.row().id())) {
        throw new IllegalStateException("two dialogues have the id " + dialogue.id());
      }
    }
    return all;
  }
}
