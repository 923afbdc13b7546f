package org.roce4j.conformance.table;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.conformance.Check;
import org.roce4j.conformance.Row;

/** Collects the rows of a table of the specification. */
abstract class RowTable {
  final List<Row> rows = new ArrayList<>();
  private final String prefix;
  private final String source;

  /**
   * @param prefix of each row's id
   * @param source of the rows that name no other
   */
  RowTable(String prefix, String source) {
    this.prefix = prefix;
    this.source = source;
  }

  final void row(String id, String title, Check check) {
    row(id, source, title, check);
  }

  final void row(String id, String source, String title, Check check) {
    rows.add(new Row(prefix + id, source, title, check));
  }
}
