package org.roce4j.conformance.remote;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Every dialogue that can be held with a device at an address. */
public final class WireDialogues {
  private static final List<String> FILES =
      List.of(
          "responder",
          "refusals",
          "answers",
          "requester",
          "services",
          "access-error",
          "ack-timeout",
          "answer-replay",
          "atomic",
          "completion-fields",
          "completion-order",
          "completion-queue",
          "congestion",
          "counter",
          "datagram",
          "dropped-packet",
          "flush",
          "go-back",
          "held-requests",
          "implicit-acknowledgement",
          "length-error",
          "local-length-error",
          "long-read",
          "loss-probe",
          "memory-window",
          "no-read-depth",
          "notification",
          "path-window",
          "qp-state",
          "reacknowledgement",
          "read",
          "receiver-not-ready",
          "reset",
          "retry-budget",
          "sequence-error",
          "shared-receive",
          "train",
          "unreliable-connection",
          "xrc");

  private WireDialogues() {}

  /** All dialogues; ids are unique. */
  public static List<WireDialogue> all() {
    List<WireDialogue> all =
        FILES.stream().flatMap(name -> Script.read(text(name)).stream()).toList();
    Set<String> ids = new HashSet<>();
    for (WireDialogue dialogue : all) {
      if (!ids.add(dialogue.row().id())) {
        throw new IllegalStateException("two dialogues have the id " + dialogue.id());
      }
    }
    return all;
  }

  private static String text(String name) {
    try (InputStream in = WireDialogues.class.getResourceAsStream(name + ".txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("the dialogues " + name + " are not in the jar", e);
    }
  }
}
