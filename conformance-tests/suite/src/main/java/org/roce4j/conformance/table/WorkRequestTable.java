package org.roce4j.conformance.table;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.DeviceCapFlags;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/** Opcode x service x flags: the requests that post_send accepts (verbs-tables 4). */
public final class WorkRequestTable {
  private static final String SOURCE = "verbs-tables 4";
  private static final QpType[] SERVICES = {QpType.UD, QpType.UC, QpType.RC};

  private WorkRequestTable() {}

  /** All rows: each opcode with each service, and with inline data. */
  public static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (String[] cells : TextTable.read("work-requests.txt")) {
      int opcode = Integer.parseInt(cells[1]);
      for (int i = 0; i < SERVICES.length; i++) {
        QpType service = SERVICES[i];
        String mark = cells[2 + i];
        rows.add(
            new Row(
                "WRQ-" + service + "-" + cells[0],
                SOURCE,
                service + (mark.equals(".") ? " refuses " : " takes ") + cells[0],
                bench -> posts(bench, service, opcode, mark, 0)));
        if (mark.equals("x")) {
          boolean inline = cells[5].equals("x");
          rows.add(
              new Row(
                  "WRQ-" + service + "-" + cells[0] + "-INLINE",
                  SOURCE,
                  cells[0] + (inline ? " can" : " cannot") + " be inline (" + service + ")",
                  bench -> posts(bench, service, opcode, inline ? "x" : ".", SendFlags.INLINE)));
          rows.add(
              new Row(
                  "WRQ-" + service + "-" + cells[0] + "-FENCE",
                  SOURCE,
                  cells[0] + " may bear FENCE (" + service + ")",
                  bench -> posts(bench, service, opcode, "x", SendFlags.FENCE)));
        }
      }
    }
    return rows;
  }

  private static void posts(Bench bench, QpType service, int opcode, String mark, int flags) {
    Station near = bench.near();
    QueuePair qp = bench.near(service, QpState.RTS);
    boolean taken =
        switch (mark) {
          case "x" -> true;
          case "t" -> has(near, DeviceCapFlags.UD_IP_CSUM);
          default -> false;
        };
    SendRequestList request = request(bench, service, opcode, flags == SendFlags.INLINE);
    request.flags(SendFlags.SIGNALED | flags);
    Expect.posted(taken ? null : Errno.EINVAL, qp.postSend(request));
    Expect.equal("the index of the bad request", taken ? -1 : 0, request.badIndex());
  }

  private static boolean has(Station station, long capability) {
    return (station.context().queryDevice().deviceCapFlags() & capability) != 0;
  }

  /** A request that is right, except that its operation may not belong to this service. */
  private static SendRequestList request(Bench bench, QpType service, int opcode, boolean inline) {
    Station near = bench.near();
    SendRequestList request = near.send(1, WrOpcode.SEND).opcodeValue(opcode);
    if (service == QpType.UD) {
      // For every opcode, because a C driver may read the address handle before it refuses. The
      // request keeps a remote address in the same place.
      request.ud(near.ahTo(bench.far()), 0x17, bench.values().qkey());
    }
    long there = near.region().address();
    WrOpcode known = WrOpcode.of(opcode);
    if (known == WrOpcode.BIND_MW) {
      var window = near.pd().allocMemoryWindow(MwType.TYPE_2);
      return request.bindMw(
          window, window.rkey() + 1, near.region(), there, 64, AccessFlags.REMOTE_READ);
    }
    if (known == WrOpcode.LOCAL_INV) {
      return request.invalidateRkey(Bench.noKey(near));
    }
    if (inline) {
      request.inline(near.memory(8));
    } else {
      request.sge(near.region(), 0, 8);
    }
    if (known != null) {
      switch (known) {
        case RDMA_WRITE, RDMA_WRITE_WITH_IMM, RDMA_READ, FLUSH, ATOMIC_WRITE ->
            request.remote(there, near.region().rkey());
        case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD ->
            request.atomic(there, near.region().rkey(), 1, 2);
        default -> {}
      }
    }
    return request;
  }
}
