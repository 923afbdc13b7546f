package org.roce4j.conformance.remote;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.Gid;

/**
 * A dialogue with a device at an address.
 *
 * @param id a unique and stable name, such as {@code DLG-GHOST_ACK}
 * @param rule the rule that the device is held to
 * @param title what must hold, in one sentence
 * @param setup setup of the subject
 * @param script runs the dialogue and throws if the device deviates
 * @param everywhere whether to hold it also with devices other than roce4j's, whose deviations are
 *     declared; the other dialogues were never judged there
 * @param wires the wires that it can be held over
 * @param fabric the device and its peer on the fabric
 */
public record WireDialogue(
    String id,
    Rule rule,
    String title,
    SubjectSetup setup,
    Consumer<Talk> script,
    boolean everywhere,
    Wires wires,
    FabricSetup fabric) {
  private static final String LIMIT = "limit.";

  /**
   * A device and its peer on the fabric.
   *
   * @param limits limits of the device by name, where they are not the defaults
   * @param device addresses of the device
   * @param peers addresses of the other end, the usual one first
   */
  public record FabricSetup(Map<String, Long> limits, List<Gid> device, List<Gid> peers) {
    /** One address of the device, two of its peer, all limits at their defaults. */
    public static final FabricSetup USUAL =
        new FabricSetup(Map.of(), gids("10.0.0.1"), gids("10.0.0.2,10.0.0.3"));

    /**
     * This setup with the change of a word in a script: {@code limit.NAME=N}, {@code
     * device=ADDRESS,...} or {@code peers=ADDRESS,...}; null for another word.
     */
    FabricSetup reading(String word) {
      String[] parts = word.split("=");
      if (parts[0].startsWith(LIMIT)) {
        Map<String, Long> changed = new TreeMap<>(limits);
        changed.put(parts[0].substring(LIMIT.length()), Long.valueOf(parts[1]));
        return new FabricSetup(changed, device, peers);
      }
      return switch (parts[0]) {
        case "device" -> new FabricSetup(limits, gids(parts[1]), peers);
        case "peers" -> new FabricSetup(limits, device, gids(parts[1]));
        default -> null;
      };
    }

    private static List<Gid> gids(String addresses) {
      return Stream.of(addresses.split(",")).map(Gid::parse).toList();
    }
  }

  /** The wires that a dialogue can be held over. */
  public enum Wires {
    /** The fabric, and a socket to any RoCEv2 address. */
    ALL,
    /** The fabric alone: the dialogue has exact times, or counts what probes count, too. */
    FABRIC
  }

  /** This dialogue, held also with devices other than roce4j's. */
  public WireDialogue heldEverywhere() {
    return new WireDialogue(id, rule, title, setup, script, true, wires, fabric);
  }

  /** The row of the report. Only a {@link TargetRun} can judge it. */
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
