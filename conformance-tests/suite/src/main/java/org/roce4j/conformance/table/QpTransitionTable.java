package org.roce4j.conformance.table;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.conformance.Covers;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;

/**
 * QP transitions x required and optional attributes x service (verbs-tables 1.1 to 1.4). The rows
 * try each step at a backend with each attribute missing or added, and with the optional ones in
 * pairs.
 */
public final class QpTransitionTable {
  private static final QpState[] STATES = {
    QpState.RESET, QpState.INIT, QpState.RTR, QpState.RTS, QpState.SQD, QpState.SQE, QpState.ERR
  };
  private static final QpType[] SERVICES = {QpType.RC, QpType.UC, QpType.UD};

  private static final Map<Step, Entry> TABLE = load();

  private QpTransitionTable() {}

  /** The transition of a queue pair of a service to another state, or to the state it has. */
  public record Step(QpType service, QpState from, QpState to) {
    private String id() {
      return "QPT-" + service + "-" + from + "-" + to;
    }

    private String words() {
      return service + " from " + from + " to " + to;
    }
  }

  /** The attributes a step needs and those it may have, of {@link QpAttrMask}, without STATE. */
  public record Entry(int required, int optional) {}

  /** The table's entry for a step; null: there is no such step. */
  public static Entry entry(Step step) {
    return TABLE.get(step);
  }

  private static Map<Step, Entry> load() {
    Map<Step, Entry> table = new LinkedHashMap<>();
    for (String[] cells : TextTable.read("qp-transitions.txt")) {
      Step step =
          new Step(QpType.valueOf(cells[0]), QpState.valueOf(cells[1]), QpState.valueOf(cells[2]));
      table.put(step, new Entry(mask(cells[3]), mask(cells[4])));
    }
    return table;
  }

  private static int mask(String cell) {
    int mask = 0;
    for (String name : TextTable.words(cell)) {
      mask |= bit(name);
    }
    return mask;
  }

  private static int bit(String name) {
    for (int bit = 1; bit <= QpAttrMask.DEST_QPN; bit <<= 1) {
      if (QpAttrMask.toString(bit).equals(name)) {
        return bit;
      }
    }
    throw new IllegalStateException("no attribute is called " + name);
  }

  /** All rows. */
  @Covers("ibv_modify_qp")
  public static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (QpType service : SERVICES) {
      for (QpState from : STATES) {
        if (from == QpState.SQE && service == QpType.RC) {
          continue; // RC is never in SQE
        }
        for (QpState to : STATES) {
          Step step = new Step(service, from, to);
          Entry entry = entry(step);
          if (entry == null) {
            rows.add(refusedStep(step));
          } else {
            rows.addAll(rowsOf(step, entry));
          }
        }
      }
    }
    return rows;
  }

  private static String source(Step step) {
    return switch (step.service()) {
      case UD -> "verbs-tables 1.1";
      case UC -> "verbs-tables 1.2";
      default -> "verbs-tables 1.3";
    };
  }

  /** No set of attributes makes a step that does not exist. */
  private static Row refusedStep(Step step) {
    return new Row(
        step.id(),
        source(step),
        step.words() + " is refused",
        bench -> {
          QueuePair qp = bench.near(step.service(), step.from());
          refused(bench, step, qp, 0);
          for (QpState other : STATES) {
            Entry like = entry(new Step(step.service(), other, step.to()));
            if (like != null) {
              refused(bench, step, qp, like.required());
            }
          }
        });
  }

  private static List<Row> rowsOf(Step step, Entry entry) {
    List<Row> rows = new ArrayList<>();
    rows.add(
        new Row(
            step.id() + "-MIN",
            source(step),
            step.words() + " needs no more than " + names(entry.required()),
            bench -> taken(bench, step, entry.required())));
    for (int bit = 2; bit <= QpAttrMask.DEST_QPN; bit <<= 1) {
      rows.add(attributeRow(step, entry, bit));
    }
    int optional = entry.optional() & ~QpAttrMask.ALT_PATH;
    if (Integer.bitCount(optional) > 1) {
      rows.add(
          new Row(
              step.id() + "-PAIRS",
              source(step),
              step.words() + " takes any two of " + names(optional) + ", and all",
              bench -> pairs(bench, step, entry.required(), optional)));
    }
    return rows;
  }

  /** An attribute that the step needs, takes, or does not take. */
  private static Row attributeRow(Step step, Entry entry, int attribute) {
    String name = QpAttrMask.toString(attribute);
    boolean optional = (entry.optional() & attribute) != 0;
    if ((entry.required() & attribute) != 0) {
      return new Row(
          step.id() + "-REQ-" + name,
          source(step),
          step.words() + " is refused without " + name,
          bench -> refused(bench, step, entry.required() & ~attribute));
    }
    if (optional && attribute == QpAttrMask.ALT_PATH) {
      return new Row(
          step.id() + "-OPT-" + name,
          "verbs-tables 1.5",
          step.words() + " is refused with " + name + ": RoCE has no alternate path",
          bench -> refused(bench, step, entry.required() | attribute));
    }
    if (optional) {
      return new Row(
          step.id() + "-OPT-" + name,
          source(step),
          step.words() + " takes " + name,
          bench -> taken(bench, step, entry.required() | attribute));
    }
    return new Row(
        step.id() + "-NOT-" + name,
        source(step),
        step.words() + " does not take " + name,
        bench -> refused(bench, step, entry.required() | attribute));
  }

  private static void pairs(Bench bench, Step step, int required, int optional) {
    for (int one = 2; one <= QpAttrMask.DEST_QPN; one <<= 1) {
      for (int two = one << 1; two <= QpAttrMask.DEST_QPN; two <<= 1) {
        if ((optional & one) != 0 && (optional & two) != 0) {
          taken(bench, step, required | one | two);
        }
      }
    }
    taken(bench, step, required | optional);
  }

  private static void taken(Bench bench, Step step, int mask) {
    QueuePair qp = bench.near(step.service(), step.from());
    qp.modify(values(bench, step), mask | QpAttrMask.STATE);
    Expect.equal("the state after it", step.to(), qp.state());
    Expect.equal("the queried state", step.to(), qp.query().qpState());
  }

  private static void refused(Bench bench, Step step, int mask) {
    refused(bench, step, bench.near(step.service(), step.from()), mask);
  }

  private static void refused(Bench bench, Step step, QueuePair qp, int mask) {
    try {
      Expect.refused(Errno.EINVAL, () -> qp.modify(values(bench, step), mask | QpAttrMask.STATE));
    } catch (AssertionError e) {
      throw new AssertionError(
          "with " + QpAttrMask.toString(mask | QpAttrMask.STATE) + ": " + e.getMessage());
    }
    Expect.equal("the state after a refusal", step.from(), qp.state());
  }

  private static QpAttr values(Bench bench, Step step) {
    return bench.values().curQpState(step.from()).qpState(step.to());
  }

  private static String names(int mask) {
    return mask == 0 ? "STATE" : QpAttrMask.toString(mask).replace("|", ", ");
  }
}
