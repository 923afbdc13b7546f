package org.roce4j.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpTransitions;
import org.roce4j.verbs.QpType;

/**
 * The table of transitions against the kernel's ({@code golden/qp-transitions.json}): every pair of
 * states of every type, with every mask of the 21 attribute bits.
 */
class QpTransitionsTest {
  private static final int BITS = 21;
  private static final Map<String, Integer> MASKS =
      Map.ofEntries(
          Map.entry("CUR_STATE", QpAttrMask.CUR_STATE),
          Map.entry("EN_SQD_ASYNC_NOTIFY", QpAttrMask.EN_SQD_ASYNC_NOTIFY),
          Map.entry("ACCESS_FLAGS", QpAttrMask.ACCESS_FLAGS),
          Map.entry("PKEY_INDEX", QpAttrMask.PKEY_INDEX),
          Map.entry("PORT", QpAttrMask.PORT),
          Map.entry("QKEY", QpAttrMask.QKEY),
          Map.entry("AV", QpAttrMask.AV),
          Map.entry("PATH_MTU", QpAttrMask.PATH_MTU),
          Map.entry("TIMEOUT", QpAttrMask.TIMEOUT),
          Map.entry("RETRY_CNT", QpAttrMask.RETRY_CNT),
          Map.entry("RNR_RETRY", QpAttrMask.RNR_RETRY),
          Map.entry("RQ_PSN", QpAttrMask.RQ_PSN),
          Map.entry("MAX_QP_RD_ATOMIC", QpAttrMask.MAX_QP_RD_ATOMIC),
          Map.entry("ALT_PATH", QpAttrMask.ALT_PATH),
          Map.entry("MIN_RNR_TIMER", QpAttrMask.MIN_RNR_TIMER),
          Map.entry("SQ_PSN", QpAttrMask.SQ_PSN),
          Map.entry("MAX_DEST_RD_ATOMIC", QpAttrMask.MAX_DEST_RD_ATOMIC),
          Map.entry("PATH_MIG_STATE", QpAttrMask.PATH_MIG_STATE),
          Map.entry("CAP", QpAttrMask.CAP),
          Map.entry("DEST_QPN", QpAttrMask.DEST_QPN));

  private static JsonNode transitions;

  @BeforeAll
  static void read() throws IOException {
    try (InputStream in =
        QpTransitionsTest.class.getResourceAsStream("/golden/qp-transitions.json")) {
      transitions = new ObjectMapper().readTree(in).get("transitions");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"UD", "UC", "RC", "XRC_SEND", "XRC_RECV"})
  @DisplayName("allows just what the kernel allows")
  void allowsWhatTheKernelAllows(QpType type) {
    for (QpState from : QpState.values()) {
      for (QpState to : QpState.values()) {
        if (from != QpState.UNKNOWN && to != QpState.UNKNOWN) {
          check(type, from, to, row(type, from, to));
        }
      }
    }
  }

  private static JsonNode row(QpType type, QpState from, QpState to) {
    for (JsonNode row : transitions) {
      if (row.get("cur").asText().equals(from.name())
          && row.get("next").asText().equals(to.name())) {
        return row.get("types").get(type.name());
      }
    }
    return null;
  }

  private static void check(QpType type, QpState from, QpState to, JsonNode row) {
    String what = type + " " + from + " to " + to;
    if (row == null) {
      assertEquals(-1, QpTransitions.required(type, from, to), what);
      assertEquals(-1, QpTransitions.optional(type, from, to), what);
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 0; i < 1000; i++) {
        assertFalse(QpTransitions.legal(type, from, to, random.nextInt(1 << BITS)), what);
      }
      return;
    }
    int required = mask(row.get("required"));
    assertEquals(required, QpTransitions.required(type, from, to), what);
    assertEquals(mask(row.get("optional")), QpTransitions.optional(type, from, to), what);
    int allowed = required | mask(row.get("optional")) | QpAttrMask.STATE;
    boolean mayNameCurrent =
        from == QpState.RTR || from == QpState.RTS || from == QpState.SQD || from == QpState.SQE;
    for (int mask = 0; mask < 1 << BITS; mask++) {
      boolean legal =
          (mask & required) == required
              && (mask | allowed) == allowed
              && (mayNameCurrent || (mask & QpAttrMask.CUR_STATE) == 0);
      if (QpTransitions.legal(type, from, to, mask) != legal) {
        assertEquals(legal, !legal, what + " with " + QpAttrMask.toString(mask));
      }
    }
  }

  private static int mask(JsonNode names) {
    int mask = 0;
    for (JsonNode name : names) {
      mask |= MASKS.get(name.asText());
    }
    return mask;
  }

  @Test
  @DisplayName("every attribute of the file is known here")
  void knowsEveryAttribute() {
    assertEquals(BITS - 1, MASKS.size());
    assertEquals((1 << BITS) - 2, MASKS.values().stream().mapToInt(Integer::intValue).sum());
  }
}
