package org.roce4j.architecture;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The packages in layers: a row imports only rows above it in this list, so dependencies are
 * acyclic by construction. Names are relative to {@code org.roce4j}; a package below {@code tools},
 * {@code hardware} or {@code emulator} belongs to its parent's row.
 */
final class Floors {

  static final String ROOT = "org.roce4j";

  private static final List<String> VERBS = List.of("verbs.text", "verbs.layout", "verbs");
  private static final List<String> FLOOR_1 =
      List.of(
          "engine.time",
          "engine.counter",
          "engine.datagram",
          "engine.trace",
          "engine.memory",
          "engine.queue",
          "engine.path");
  private static final List<String> LOWER_EDGE =
      List.of("engine.time", "engine.counter", "engine.datagram", "engine.trace");
  private static final List<String> FLOOR_2 = List.of("engine.requester", "engine.responder");

  private static final List<String> PORTS = List.of("port", "port.fault", "port.capture");

  /** Packages of the house plan without code so far. */
  static final Set<String> EMPTY_YET = Set.of("rsockets");

  private static final Map<String, Set<String>> ROWS = new LinkedHashMap<>();

  static {
    row("verbs.text");
    row("verbs.layout");
    row("verbs", List.of("verbs.text", "verbs.layout"));
    row("connect", VERBS);
    row("options", VERBS);
    row("verbs.cm", VERBS);
    row("wire");
    row("wire.mad", List.of("wire"));
    row("wire.capture", List.of("wire"));
    row("wire.inspect", List.of("wire", "wire.mad", "wire.capture"));
    row("wire.view", List.of("wire", "wire.mad", "wire.capture", "wire.inspect"));

    row("engine.time");
    row("engine.counter");
    row("engine.datagram", List.of("engine.time"));
    row("engine.trace", VERBS, List.of("engine.counter"));
    row("engine.memory", VERBS);
    row("engine.queue", VERBS, List.of("engine.datagram", "engine.memory"));

    row("engine.path", List.of("verbs", "engine.time", "engine.datagram"));

    row("port", LOWER_EDGE, VERBS, List.of("wire"));
    row("port.fault", LOWER_EDGE, VERBS, List.of("options", "wire", "port"));
    row("port.capture", LOWER_EDGE, VERBS, List.of("wire", "wire.capture", "port"));
    row("faulty", VERBS, List.of("options", "port.fault"));
    row("port.linux", LOWER_EDGE, VERBS, List.of("wire", "port"));
    row("port.netty", LOWER_EDGE, VERBS, List.of("wire", "port"));
    row("fabric", LOWER_EDGE, VERBS, List.of("options", "wire", "wire.capture"), PORTS);

    row("engine.requester", FLOOR_1, VERBS, List.of("wire"));
    row("engine.responder", FLOOR_1, VERBS, List.of("wire"));
    row("engine.cm", FLOOR_1, List.of("verbs.text", "wire", "wire.mad"));

    row("engine.qp", FLOOR_1, FLOOR_2, VERBS, List.of("wire"));
    row("engine", FLOOR_1, FLOOR_2, VERBS, List.of("wire", "wire.mad", "engine.cm", "engine.qp"));
    row(
        "device",
        FLOOR_1,
        FLOOR_2,
        VERBS,
        List.of("verbs.cm", "wire", "engine.cm", "engine.qp", "engine"));
    row("drive", LOWER_EDGE, VERBS, List.of("engine", "port"));

    row(
        "emulator",
        LOWER_EDGE,
        VERBS,
        List.of(
            "verbs.cm",
            "options",
            "wire",
            "wire.mad",
            "wire.capture",
            "fabric",
            "faulty",
            "engine.cm",
            "engine",
            "device",
            "drive"),
        PORTS);

    row(
        "lab",
        VERBS,
        List.of(
            "options",
            "wire",
            "wire.capture",
            "wire.view",
            "engine.time",
            "engine.counter",
            "engine.trace",
            "engine",
            "port.fault",
            "fabric",
            "emulator"));

    row(
        "simulation",
        VERBS,
        List.of(
            "wire",
            "options",
            "engine.counter",
            "engine.time",
            "engine.trace",
            "engine",
            "fabric",
            "emulator"));

    row("micrometer", VERBS, List.of());
    row("plans", VERBS, List.of("options"));
    row(
        "junit",
        VERBS,
        PORTS,
        List.of(
            "verbs.cm",
            "connect",
            "options",
            "faulty",
            "wire.capture",
            "wire.view",
            "fabric",
            "emulator"));
    row("hardware", VERBS, List.of("verbs.cm"));
    row("rsockets", VERBS, List.of("verbs.cm"));
    row("conformance.backend", VERBS, PORTS, List.of("fabric", "emulator", "verbs.cm"));
    row("conformance.bench", VERBS, List.of("conformance.backend"));
    row("conformance", List.of("verbs.text", "conformance.bench"));
    List<String> rows = List.of("conformance.backend", "conformance.bench", "conformance");
    row("conformance.table", VERBS, List.of("wire", "verbs.cm"), rows);
    row("conformance.error", VERBS, rows);
    row("conformance.run", rows, List.of("verbs.text", "conformance.table", "conformance.error"));
    row("conformance.dialogue", List.copyOf(ROWS.keySet()));
    row(
        "conformance.remote",
        VERBS,
        List.of(
            "wire",
            "wire.capture",
            "options",
            "engine.counter",
            "conformance.dialogue",
            "conformance.run"),
        rows);
    row("tools", List.copyOf(ROWS.keySet()));
  }

  private Floors() {}

  /** The names of the rows, from the lowest layer up. */
  static Set<String> names() {
    return ROWS.keySet();
  }

  /** The row of a package; empty if the house plan does not have it. */
  static Optional<String> rowOf(String packageName) {
    if (!packageName.startsWith(ROOT + ".")) {
      return Optional.empty();
    }
    String name = packageName.substring(ROOT.length() + 1);
    if (ROWS.containsKey(name)) {
      return Optional.of(name);
    }
    return Stream.of("tools", "hardware", "emulator")
        .filter(parent -> name.startsWith(parent + "."))
        .findAny();
  }

  static boolean mayImport(String from, String to) {
    return from.equals(to) || ROWS.get(from).contains(to);
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // the lists are only read
  private static void row(String name, List<String>... imports) {
    Set<String> below = Stream.of(imports).flatMap(List::stream).collect(Collectors.toSet());
    below.removeIf(name::equals);
    if (!ROWS.keySet().containsAll(below)) {
      throw new IllegalStateException(name + " would import upwards: " + below);
    }
    ROWS.put(name, below);
  }
}
