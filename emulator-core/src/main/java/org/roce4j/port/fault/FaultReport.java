package org.roce4j.port.fault;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Opcode;

/**
 * The number of datagrams of each kind of traffic, and the datagrams to which rules were applied,
 * as data.
 *
 * @param datagrams number of datagrams by traffic; in a sum of several networks, that of the
 *     busiest
 * @param hits hits in the order in which they happened
 * @param verbs number of occurrences of each event that a rule of the verbs can match, by its name
 */
public record FaultReport(Map<Traffic, Long> datagrams, List<Hit> hits, Map<String, Long> verbs) {
  /** A report without datagrams. */
  public static final FaultReport NONE = new FaultReport(Map.of(), List.of());

  private static final String VERB = "verb";

  /** The greatest number of hits recorded for one rule. */
  public static final int MOST_HITS = 64;

  private static final Comparator<Traffic> ORDER =
      Comparator.comparing(Traffic::direction).thenComparing(Traffic::opcode);

  /**
   * The datagrams of one direction and opcode.
   *
   * @param opcode first byte of the BTH, 0..255
   */
  public record Traffic(FaultDirection direction, int opcode) {
    @Override
    public String toString() {
      Opcode known = Opcode.of(opcode);
      String name = known == null ? Wording.of("0x%02x", opcode) : known.name();
      return direction.name().toLowerCase(Locale.ROOT) + " " + name;
    }

    private static Traffic of(String direction, String opcode) {
      int code =
          opcode.startsWith("0x")
              ? Integer.parseInt(opcode.substring(2), 16)
              : Opcode.valueOf(opcode).code();
      return new Traffic(FaultDirection.valueOf(direction.toUpperCase(Locale.ROOT)), code);
    }
  }

  /**
   * A datagram to which a rule was applied.
   *
   * @param rule place of the rule in the plan, from 0
   * @param nth number of the datagram among its traffic, from 1
   * @param meant number of the datagram among those that the rule matches, from 1
   */
  public record Hit(int rule, Traffic traffic, long nth, long meant) {}

  /** A report of datagrams only. */
  public FaultReport(Map<Traffic, Long> datagrams, List<Hit> hits) {
    this(datagrams, hits, Map.of());
  }

  /** Copies the collections. */
  public FaultReport {
    Map<Traffic, Long> ordered = new TreeMap<>(ORDER);
    ordered.putAll(datagrams);
    datagrams = Collections.unmodifiableMap(ordered);
    hits = List.copyOf(hits);
    verbs = Collections.unmodifiableMap(new TreeMap<>(verbs));
  }

  /**
   * This report with that of another network or process: of each kind of datagram and verb the most
   * that one of them met, since a rule counts in each from 1, and the hits of both.
   */
  public FaultReport and(FaultReport other) {
    Map<Traffic, Long> most = new LinkedHashMap<>(datagrams);
    other.datagrams.forEach((traffic, count) -> most.merge(traffic, count, Math::max));
    List<Hit> both = new ArrayList<>(hits);
    for (Hit hit : other.hits) {
      if (both.stream().filter(known -> known.rule == hit.rule).count() < MOST_HITS
          && !both.contains(hit)) {
        both.add(hit);
      }
    }
    Map<String, Long> calls = new TreeMap<>(verbs);
    other.verbs.forEach((verb, count) -> calls.merge(verb, count, Math::max));
    return new FaultReport(most, both, calls);
  }

  /** The hits of one rule. */
  public List<Hit> hits(int rule) {
    return hits.stream().filter(hit -> hit.rule == rule).toList();
  }

  /** The lines that {@link #parse} reads. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    datagrams.forEach((traffic, count) -> text.append(Wording.of("%s %d%n", traffic, count)));
    verbs.forEach((verb, count) -> text.append(Wording.of("%s %s %d%n", VERB, verb, count)));
    for (Hit hit : hits) {
      text.append(Wording.of("rule %d %s %d %d%n", hit.rule, hit.traffic, hit.nth, hit.meant));
    }
    return text.toString();
  }

  /**
   * Parses the text that {@link #toString} prints.
   *
   * @throws IllegalArgumentException if it is another text
   */
  public static FaultReport parse(String text) {
    Map<Traffic, Long> datagrams = new LinkedHashMap<>();
    Map<String, Long> verbs = new TreeMap<>();
    List<Hit> hits = new ArrayList<>();
    for (String line : text.lines().toList()) {
      String[] words = line.split(" ");
      if (words.length == 3 && words[0].equals(VERB)) {
        verbs.put(words[1], Long.parseLong(words[2]));
      } else if (words.length == 3) {
        datagrams.put(Traffic.of(words[0], words[1]), Long.parseLong(words[2]));
      } else if (words.length == 6) {
        hits.add(
            new Hit(
                Integer.parseInt(words[1]),
                Traffic.of(words[2], words[3]),
                Long.parseLong(words[4]),
                Long.parseLong(words[5])));
      } else {
        throw new IllegalArgumentException("no line of a report of faults: " + line);
      }
    }
    return new FaultReport(datagrams, hits, verbs);
  }
}
