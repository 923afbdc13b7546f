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
 * The verdicts of soft-RoCE on the calls that rows name as their source, as declared; a run of
 * these rows is compared with them.
 */
final class SoftRoceVerbs {
  private static final String HOLDS = "rxe";
  private static final String DEVIATES = "rxe: deviates";
  private static final Pattern CALL = Pattern.compile("\\b[a-z]+_[a-z_]+\\b");

  /** The declared verdicts of all rows that name a call, by call. */
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

  /** HOLDS if the call holds in at least one row, otherwise the first declared verdict. */
  String verdict(String call) {
    List<String> found = verdicts.getOrDefault(call, List.of(HOLDS));
    return found.contains(HOLDS) ? HOLDS : found.getFirst();
  }

  boolean refuses(String call) {
    return verdict(call).startsWith("rxe: E");
  }
}
