package org.roce4j.conformance.error;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.conformance.Row;
import org.roce4j.verbs.QpType;

/** Every error, in the order of the document. */
public final class ErrorTable {
  private ErrorTable() {}

  /** All cases; the cases of a chapter are contiguous. */
  public static List<ErrorCase> cases() {
    List<ErrorCase> all = new ArrayList<>();
    all.addAll(new LocalCases(Chapter.RC, QpType.RC).all());
    all.addAll(new ReliableCases().all());
    all.addAll(new FlushCases().all());
    all.addAll(new LocalCases(Chapter.UC, QpType.UC).all());
    all.addAll(new UnreliableCases().all());
    all.addAll(new LocalCases(Chapter.UD, QpType.UD).all());
    all.addAll(new DatagramCases().all());
    all.addAll(new SharedReceiveCases().all());
    all.addAll(new ExtendedCases().all());
    all.addAll(new CompletionQueueCases().all());
    all.addAll(new LimitCases().all());
    all.addAll(new UnderWayCases().all());
    all.addAll(new EventCases().all());
    all.addAll(new PortCases().all());
    return List.copyOf(all);
  }

  /** The rows of the suite that hold a backend to them. */
  public static List<Row> rows() {
    return cases().stream().flatMap(error -> error.rows().stream()).toList();
  }
}
