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
 * @param id unique and stable, such as {@code DLG-GHOST_ACK}
 * @param rule what the device is held to
 * @param title what must hold, one sentence
 * @param setup of the subject
 * @param script throws what went otherwise
 * @param everywhere also with devices other than roce4j's, whose deviations are declared; what
 *     others say to the rest was never looked at
 * @param wires over which it can be held
 * @param fabric what is special about device and wire there
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
   * @param limits of the device by name
   * @param device its addresses
   * @param peers addresses of the other end of the wire, the usual one first
   */
  public record FabricSetup(Map<String, Long> limits, List<Gid> device, List<Gid> peers) {
    /** One address of the device and two of its peer, all limits as usual. */
    public static final FabricSetup USUAL =
        new FabricSetup(Map.of(), gids("10.0.0.1"), gids("10.0.0.2,10.0.0.3"));

    /**
     * The same with what a word of a script says; null if it is something else: {@code
     * limit.NAME=N}, {@code device=ADDRESS,...} or {@code peers=ADDRESS,...}.
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

  /** Over which wires a dialogue can be held. */
  public enum Wires {
    /** The fabric, and a socket to any RoCEv2 address. */
    ALL,
    /** Its moments are exact, or it counts what probes count too. */
    FABRIC
  }

  /** The same, also for devices that are not ours. */
  public WireDialogue heldEverywhere() {
    return new WireDialogue(id, rule, title, setup, script, true, wires, fabric);
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
