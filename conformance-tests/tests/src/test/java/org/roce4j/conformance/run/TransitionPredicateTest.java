package org.roce4j.conformance.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.conformance.table.QpTransitionTable;
import org.roce4j.conformance.table.QpTransitionTable.Entry;
import org.roce4j.conformance.table.QpTransitionTable.Step;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpTransitions;
import org.roce4j.verbs.QpType;

/** Verbs-tables 1.1 to 1.4, exhaustively: every pair of states with each of 2^21 masks. */
class TransitionPredicateTest {
  private static final int MASKS = 1 << 21;

  @ParameterizedTest
  @EnumSource(
      value = QpType.class,
      names = {"RC", "UC", "UD", "XRC_SEND", "XRC_RECV"})
  void thePredicateIsTheTable(QpType service) {
    for (QpState from : QpState.values()) {
      for (QpState to : QpState.values()) {
        if (from != QpState.UNKNOWN && to != QpState.UNKNOWN) {
          step(new Step(service, from, to));
        }
      }
    }
  }

  private static void step(Step step) {
    Entry entry = QpTransitionTable.entry(step);
    boolean mayNameCurrent =
        switch (step.from()) {
          case RTR, RTS, SQD, SQE -> true;
          default -> false;
        };
    for (int mask = 0; mask < MASKS; mask++) {
      boolean specified =
          entry != null
              && (mask & entry.required()) == entry.required()
              && (mask & ~(entry.required() | entry.optional() | QpAttrMask.STATE)) == 0
              && (mayNameCurrent || (mask & QpAttrMask.CUR_STATE) == 0);
      if (QpTransitions.legal(step.service(), step.from(), step.to(), mask) != specified) {
        assertEquals(specified, !specified, step + " with " + QpAttrMask.toString(mask));
      }
    }
  }
}
