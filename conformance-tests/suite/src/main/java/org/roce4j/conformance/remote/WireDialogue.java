package org.roce4j.conformance.remote;

import java.util.Map;
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
 * @param everywhere also with devices other than roce4j's, whose deviations are declared; what
 *     others say to the rest was never looked at
 * @param wires over which it can be held
 * @param limits of the device by name, on the fabric
 */
public record WireDialogue(
    String id,
    Rule rule,
    String title,
    SubjectSetup setup,
    Consumer<Talk> script,
    boolean everywhere,
    Wires wires,
    Map<String, Long> limits) {

  /** Over which wires a dialogue can be held. */
  public enum Wires {
    ALL,
    /** Its moments are exact, or it counts what probes count too. */
    FABRIC,
    /** The fabric seals every packet and marks none. */
    REAL
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
