package org.roce4j.conformance.remote;

import java.util.function.Consumer;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.Rule;

/**
 * A dialogue with a device at an address.
 *
 * @param id unique and stable, such as {@code DLG-GHOST_ACK}
 * @param rule what the device is held to
 * @param title what must hold, one sentence
 * @param setup of the subject
 * @param script throws what went otherwise
 * @param everywhere also with devices other than roce4j's, whose deviations are declared
 */
public record WireDialogue(
    String id,
    Rule rule,
    String title,
    SubjectSetup setup,
    Consumer<Talk> script,
    boolean everywhere) {
  /** For any device. */
  public WireDialogue(
      String id, Rule rule, String title, SubjectSetup setup, Consumer<Talk> script) {
    this(id, rule, title, setup, script, true);
  }

  /** The same, for roce4j's devices: what others say to it was never looked at. */
  WireDialogue ours() {
    return new WireDialogue(id, rule, title, setup, script, false);
  }

  /** As a row of the report; it is decided by a {@link TargetRun}. */
  Row row() {
    return new Row(
        id,
        rule.name() + ", " + rule.source(),
        title,
        bench -> {
          throw new UnsupportedOperationException("a dialogue needs an address");
        });
  }
}
