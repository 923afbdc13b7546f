package org.roce4j.conformance.run;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.error.DroppedMessageTable;
import org.roce4j.conformance.error.ErrorTable;
import org.roce4j.conformance.table.AccessRightsTable;
import org.roce4j.conformance.table.AckTimeoutTable;
import org.roce4j.conformance.table.AethTable;
import org.roce4j.conformance.table.AsyncEventTable;
import org.roce4j.conformance.table.BadCallTable;
import org.roce4j.conformance.table.ConnectionCallTable;
import org.roce4j.conformance.table.ConnectionTable;
import org.roce4j.conformance.table.ExtendedCompletionTable;
import org.roce4j.conformance.table.ExtendedConnectionTable;
import org.roce4j.conformance.table.InlineDataTable;
import org.roce4j.conformance.table.LaterConnectionTable;
import org.roce4j.conformance.table.LaterVerbTable;
import org.roce4j.conformance.table.LocalFaultTable;
import org.roce4j.conformance.table.ManualTable;
import org.roce4j.conformance.table.MemoryWindowTable;
import org.roce4j.conformance.table.ModifyValueTable;
import org.roce4j.conformance.table.ObjectReferenceTable;
import org.roce4j.conformance.table.PeerFaultTable;
import org.roce4j.conformance.table.PostingTable;
import org.roce4j.conformance.table.QpTransitionTable;
import org.roce4j.conformance.table.RnrTimerTable;
import org.roce4j.conformance.table.SeveralPortsTable;
import org.roce4j.conformance.table.SharedQueueSizeTable;
import org.roce4j.conformance.table.StringTable;
import org.roce4j.conformance.table.WireOpcodeTable;
import org.roce4j.conformance.table.WorkRequestBuilderTable;
import org.roce4j.conformance.table.WorkRequestTable;

/** Every row, in the order of the tables. */
public final class Suite {
  private Suite() {}

  /** Every row of every table. Ids are unique. */
  public static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    rows.addAll(QpTransitionTable.rows());
    rows.addAll(ModifyValueTable.rows());
    rows.addAll(PostingTable.rows());
    rows.addAll(WorkRequestTable.rows());
    rows.addAll(WireOpcodeTable.rows());
    rows.addAll(AethTable.rows());
    rows.addAll(InlineDataTable.rows());
    rows.addAll(ManualTable.rows());
    rows.addAll(LaterVerbTable.rows());
    rows.addAll(LaterConnectionTable.rows());
    rows.addAll(SharedQueueSizeTable.rows());
    rows.addAll(ExtendedConnectionTable.rows());
    rows.addAll(ConnectionTable.rows());
    rows.addAll(ConnectionCallTable.rows());
    rows.addAll(WorkRequestBuilderTable.rows());
    rows.addAll(ExtendedCompletionTable.rows());
    rows.addAll(RnrTimerTable.rows());
    rows.addAll(AckTimeoutTable.rows());
    rows.addAll(AccessRightsTable.rows());
    rows.addAll(MemoryWindowTable.rows());
    rows.addAll(LocalFaultTable.rows());
    rows.addAll(PeerFaultTable.rows());
    rows.addAll(DroppedMessageTable.rows());
    rows.addAll(AsyncEventTable.rows());
    rows.addAll(SeveralPortsTable.rows());
    rows.addAll(ErrorTable.rows());
    rows.addAll(ObjectReferenceTable.rows());
    rows.addAll(BadCallTable.rows());
    rows.addAll(StringTable.rows());
    Set<String> ids = new HashSet<>();
    for (Row row : rows) {
      if (!ids.add(row.id())) {
        throw new IllegalStateException("two rows have the id " + row.id());
      }
    }
    return List.copyOf(rows);
  }
}
