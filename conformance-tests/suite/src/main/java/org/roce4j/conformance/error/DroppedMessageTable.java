package org.roce4j.conformance.error;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.BenchCompletion;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * Messages that unreliable services drop silently (rc-transport 7 and 8): the sender's completion
 * succeeds, and the receiver gets nothing and stays in RTS. A probe sent afterwards arrives.
 */
public final class DroppedMessageTable {
  private static final String UC = "rc-transport 7";
  private static final String UD = "rc-transport 8";
  private static final int BYTES = 64;
  private static final int PROBE_BYTES = 8;
  private static final int GRH = 40;

  private final List<Row> rows = new ArrayList<>();

  private DroppedMessageTable() {}

  /** All rows. */
  public static List<Row> rows() {
    DroppedMessageTable table = new DroppedMessageTable();
    table.connected();
    table.datagrams();
    return table.rows;
  }

  private void connected() {
    for (WrOpcode opcode : new WrOpcode[] {WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE_WITH_IMM}) {
      written(opcode, "RKEY", WrongMemory.UNKNOWN);
      written(opcode, "RKEY_OTHER_PD", WrongMemory.OTHER_PD);
      written(opcode, "RKEY_DEREGISTERED", WrongMemory.GONE);
      dropped(
          "UC-" + opcode + "-RANGE",
          UC,
          QpType.UC,
          opcode + " one byte beyond the region",
          (bench, pair) -> {
            MemoryRegion region = bench.far().region();
            write(bench, pair, opcode, region.address() + Station.BYTES - BYTES + 1, region.rkey());
          });
      dropped(
          "UC-" + opcode + "-RANGE_BEFORE",
          UC,
          QpType.UC,
          opcode + " that begins one byte before the region",
          (bench, pair) -> {
            MemoryRegion region = bench.far().region();
            write(bench, pair, opcode, region.address() - 1, region.rkey());
          });
      written(opcode, "RANGE_WRAP", WrongMemory.WRAP);
      dropped(
          "UC-" + opcode + "-RIGHT",
          UC,
          QpType.UC,
          opcode + " to a region without REMOTE_WRITE",
          (bench, pair) -> {
            MemoryRegion region = bench.far().region(AccessFlags.LOCAL_WRITE);
            write(bench, pair, opcode, region.address(), region.rkey());
          });
    }
    dropped(
        "UC-SEND-LONG",
        UC,
        QpType.UC,
        "a SEND longer than the receive buffer, which is kept for the next",
        (bench, pair) -> send(bench, pair, BYTES + 1, bench.values().qkey()));
  }

  private void written(WrOpcode opcode, String id, WrongMemory wrong) {
    dropped(
        "UC-" + opcode + "-" + id,
        UC,
        QpType.UC,
        opcode + " to " + wrong.words(),
        (bench, pair) -> {
          WrongMemory.Place place = wrong.at(bench.far(), BYTES);
          write(bench, pair, opcode, place.address(), place.rkey());
        });
  }

  private static void write(Bench bench, Bench.Pair pair, WrOpcode opcode, long address, int rkey) {
    SendRequestList request =
        bench.near().send(1, opcode).sge(bench.near().region(), 0, BYTES).remote(address, rkey);
    Expect.posts(pair.near(), request);
  }

  private void datagrams() {
    dropped(
        "UD-QKEY",
        UD,
        QpType.UD,
        "a datagram with another Q_Key",
        (bench, pair) -> send(bench, pair, PROBE_BYTES, bench.values().qkey() ^ 1));
    dropped(
        "UD-LONG",
        UD,
        QpType.UD,
        "a datagram longer than the receive buffer less 40, which is kept for the next",
        (bench, pair) -> send(bench, pair, BYTES + 1, bench.values().qkey()));
    dropped(
        "UD-QKEY_HIGH_BIT",
        UD,
        QpType.UD,
        "a datagram with another Q_Key in front of one that bids the queue pair's own",
        (bench, pair) -> send(bench, pair, PROBE_BYTES, bench.values().qkey() ^ 2));
  }

  private static void send(Bench bench, Bench.Pair pair, int bytes, int qkey) {
    send(bench, pair, 1, bytes, qkey);
  }

  private static void send(Bench bench, Bench.Pair pair, long wrId, int bytes, int qkey) {
    Station near = bench.near();
    SendRequestList request = near.send(wrId, WrOpcode.SEND).sge(near.region(), 0, bytes);
    if (pair.near().qpType() == QpType.UD) {
      request.ud(near.ahTo(bench.far()), pair.far().qpNum(), qkey);
    }
    Expect.posts(pair.near(), request);
  }

  private void dropped(
      String id,
      String source,
      QpType service,
      String title,
      BiConsumer<Bench, Bench.Pair> message) {
    rows.add(
        new Row(
            "DROP-" + id,
            source,
            title + " is dropped silently",
            bench -> {
              Bench.Pair pair = bench.pair(service);
              int room = service == QpType.UD ? BYTES + GRH : BYTES;
              bench.far().postReceives(pair.far(), 1, room);
              message.accept(bench, pair);
              bench.completes(bench.near(), 1, WcStatus.SUCCESS);
              int qkey = bench.values().qkey();
              send(bench, pair, 2, PROBE_BYTES, id.endsWith("HIGH_BIT") ? 1 << 31 : qkey);
              bench.completes(bench.near(), 2, WcStatus.SUCCESS);
              BenchCompletion probe = bench.completes(bench.far(), 100, WcStatus.SUCCESS);
              Expect.equal(
                  "byte_len of the probe",
                  PROBE_BYTES + (service == QpType.UD ? GRH : 0),
                  probe.byteLength());
              bench.nothing(bench.far());
              bench.noEvent(bench.far());
              Expect.equal("the state", QpState.RTS, pair.far().state());
            }));
  }
}
