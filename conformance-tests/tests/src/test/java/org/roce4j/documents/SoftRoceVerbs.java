package org.roce4j.documents;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.backend.Deviation;
import org.roce4j.conformance.backend.SoftRoceDeviations;
import org.roce4j.conformance.run.Suite;

/**
 * What soft-RoCE says to the calls that rows name as their source: the declarations that a run of
 * these rows is held against.
 */
final class SoftRoceVerbs {
  private static final String HOLDS = "rxe";
  private static final String DEVIATES = "rxe: deviates";
  private static final Pattern CALL = Pattern.compile("\\b[a-z]+_[a-z_]+\\b");

  /** By calls, of all rows that name one. */
  private final Map<String, List<String>> verdicts = new TreeMap<>();

  SoftRoceVerbs() {
    for (Row row : Suite.rows()) {
      if (isOfOneCall(row.id())) {
        Matcher calls = CALL.matcher(row.source());
        while (calls.find()) {
          verdicts.computeIfAbsent(calls.group(), _ -> new ArrayList<>()).add(verdict(row));
        }
      }
    }
  }

  private static boolean isOfOneCall(String id) {
    return id.startsWith("VRB-");
  }

  static List<String> rows() {
    return Suite.rows().stream().map(Row::id).filter(SoftRoceVerbs::isOfOneCall).toList();
  }

  private static String verdict(Row row) {
    return SoftRoceDeviations.rows().stream()
        .filter(declared -> declared.concerns(row.id()))
        .findFirst()
        .map(SoftRoceVerbs::verdict)
        .orElse(HOLDS);
  }

  private static String verdict(Deviation declared) {
    return declared.refusal() == null ? DEVIATES : "rxe: " + declared.refusal();
  }

  /** What holds of the call in one row is there; else what is declared of it. */
  String verdict(String call) {
    List<String> found = verdicts.getOrDefault(call, List.of(HOLDS));
    return found.contains(HOLDS) ? HOLDS : found.getFirst();
  }

  boolean refuses(String call) {
    return verdict(call).startsWith("rxe: E");
  }
}
