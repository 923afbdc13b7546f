package org.roce4j.conformance.table;

import java.util.List;
import org.roce4j.conformance.Covers;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * The operations that a memory window allows, and the queue pairs that may use it (rc-transport
 * 6.5, R12).
 */
public final class MemoryWindowTable extends RowTable {
  private static final String SOURCE = "rc-transport 6.5, 0 R12";
  private static final long START = 256;
  private static final int LENGTH = 128;

  /** How the near queue pair comes to use the window that the far station bound. */
  private record Access(WrOpcode opcode, long offset, int bytes, WcStatus status) {}

  private MemoryWindowTable() {
    super("MWN-", SOURCE);
  }

  /** All rows. */
  @Covers({"ibv_alloc_mw", "ibv_bind_mw", "ibv_dealloc_mw", "ibv_inc_rkey"})
  public static List<Row> rows() {
    MemoryWindowTable table = new MemoryWindowTable();
    for (MwType type : MwType.values()) {
      table.ranges(type);
      table.rights(type);
    }
    table.lives();
    return table.rows;
  }

  private void ranges(MwType type) {
    access(type, "WHOLE", "all of the window", 0, LENGTH, WcStatus.SUCCESS);
    access(type, "FIRST", "its first byte", 0, 1, WcStatus.SUCCESS);
    access(type, "LAST", "its last byte", LENGTH - 1, 1, WcStatus.SUCCESS);
    access(type, "BEFORE", "the byte before it, in its region", -1, 1, WcStatus.REM_ACCESS_ERR);
    access(type, "AFTER", "the byte after it, in its region", LENGTH, 1, WcStatus.REM_ACCESS_ERR);
    access(type, "OVER", "its last byte and one more", LENGTH - 1, 2, WcStatus.REM_ACCESS_ERR);
  }

  private void access(
      MwType type, String id, String what, long offset, int bytes, WcStatus status) {
    for (WrOpcode opcode : new WrOpcode[] {WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ}) {
      row(
          type + "-" + opcode + "-" + id,
          opcode + " of " + what + " (" + type + "): " + status,
          bench -> {
            Bench.Pair pair = bench.pair(QpType.RC);
            int rights = AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ;
            int rkey = bind(bench, pair, type, rights).rkey;
            use(bench, pair, new Access(opcode, START + offset, bytes, status), rkey);
          });
    }
  }

  private void rights(MwType type) {
    for (WrOpcode opcode : new WrOpcode[] {WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ}) {
      int other = opcode == WrOpcode.RDMA_READ ? AccessFlags.REMOTE_WRITE : AccessFlags.REMOTE_READ;
      row(
          type + "-" + opcode + "-RIGHT",
          opcode + " through a window without the right, whose region has it (" + type + ")",
          bench -> {
            Bench.Pair pair = bench.pair(QpType.RC);
            int rkey = bind(bench, pair, type, other).rkey;
            use(bench, pair, new Access(opcode, START, 8, WcStatus.REM_ACCESS_ERR), rkey);
          });
    }
    row(
        type + "-UNBOUND",
        "a window that is not bound gives access to nothing (" + type + ")",
        bench -> {
          Bench.Pair pair = bench.pair(QpType.RC);
          int rkey = bench.far().pd().allocMemoryWindow(type).rkey();
          use(bench, pair, refused(), rkey);
        });
    boolean any = type == MwType.TYPE_1;
    row(
        type + "-OTHER_QP",
        any
            ? "a window of type 1 may be used through any queue pair of its domain"
            : "a window of type 2 may be used only through the queue pair it was bound on",
        bench -> {
          int rkey = bind(bench, bench.pair(QpType.RC), type, AccessFlags.REMOTE_READ).rkey;
          Access read = new Access(WrOpcode.RDMA_READ, START, 8, WcStatus.SUCCESS);
          use(bench, bench.pair(QpType.RC), any ? read : refused(), rkey);
        });
  }

  private static Access refused() {
    return new Access(WrOpcode.RDMA_READ, START, 8, WcStatus.REM_ACCESS_ERR);
  }

  private void lives() {
    row(
        "TYPE_2-LOCAL_INV",
        "after LOCAL_INV the key of a window is dead",
        bench -> {
          Bench.Pair pair = bench.pair(QpType.RC);
          int rkey = bind(bench, pair, MwType.TYPE_2, AccessFlags.REMOTE_READ).rkey;
          Expect.posts(pair.far(), bench.far().send(3, WrOpcode.LOCAL_INV).invalidateRkey(rkey));
          bench.completes(bench.far(), 3, WcStatus.SUCCESS);
          use(bench, pair, refused(), rkey);
        });
    row(
        "TYPE_2-SEND_INV",
        "rc-transport 6.3",
        "after a SEND_WITH_INV of the peer the key of a window is dead, and named",
        MemoryWindowTable::remoteInvalidate);
    row(
        "TYPE_1-REBIND",
        "binding a window of type 1 again gives a new key and kills the old one",
        bench -> {
          Bench.Pair pair = bench.pair(QpType.RC);
          MemoryWindow window = bind(bench, pair, MwType.TYPE_1, AccessFlags.REMOTE_READ).window;
          int old = window.rkey();
          bindAgain(bench, pair, window, LENGTH);
          Expect.that(window.rkey() != old, "the key is the same");
          Expect.equal("its upper 24 bits", old >>> 8, window.rkey() >>> 8);
          use(bench, pair, refused(), old);
        });
    row(
        "TYPE_1-UNBIND",
        "binding a window of type 1 with length 0 unbinds it",
        bench -> {
          Bench.Pair pair = bench.pair(QpType.RC);
          MemoryWindow window = bind(bench, pair, MwType.TYPE_1, AccessFlags.REMOTE_READ).window;
          bindAgain(bench, pair, window, 0);
          use(bench, pair, refused(), window.rkey());
        });
    row(
        "DEALLOCATED",
        "after its deallocation the key of a window is dead",
        bench -> {
          Bench.Pair pair = bench.pair(QpType.RC);
          Bound bound = bind(bench, pair, MwType.TYPE_2, AccessFlags.REMOTE_READ);
          bound.window.close();
          use(bench, pair, refused(), bound.rkey);
        });
  }

  private static void remoteInvalidate(Bench bench) {
    Bench.Pair pair = bench.pair(QpType.RC);
    int rkey = bind(bench, pair, MwType.TYPE_2, AccessFlags.REMOTE_READ).rkey;
    bench.far().postReceives(pair.far(), 1, 64);
    Station near = bench.near();
    Expect.posts(
        pair.near(),
        near.send(1, WrOpcode.SEND_WITH_INV).sge(near.region(), 0, 8).invalidateRkey(rkey));
    bench.completes(near, 1, WcStatus.SUCCESS);
    var received = bench.completes(bench.far(), 100, WcStatus.SUCCESS);
    Expect.equal("wc_flags", WcFlags.WITH_INV, received.flags());
    use(bench, pair, refused(), rkey);
  }

  /**
   * A window and the key by which it is reached, which for type 2 the program has chosen:
   * libibverbs does not write it into the window.
   */
  private record Bound(MemoryWindow window, int rkey) {}

  /** The far station binds a window to the middle of its region. */
  private static Bound bind(Bench bench, Bench.Pair pair, MwType type, int rights) {
    Station far = bench.far();
    MemoryRegion region = far.region();
    MemoryWindow window = far.pd().allocMemoryWindow(type);
    long address = region.address() + START;
    int rkey = MemoryWindow.incrementRkey(window.rkey());
    if (type == MwType.TYPE_1) {
      pair.far().bindMemoryWindow(window, 2, SendFlags.SIGNALED, region, address, LENGTH, rights);
    } else {
      Expect.posts(
          pair.far(),
          far.send(2, WrOpcode.BIND_MW).bindMw(window, rkey, region, address, LENGTH, rights));
    }
    bench.completes(far, 2, WcStatus.SUCCESS);
    return new Bound(window, type == MwType.TYPE_1 ? window.rkey() : rkey);
  }

  private static void bindAgain(Bench bench, Bench.Pair pair, MemoryWindow window, long length) {
    Station far = bench.far();
    MemoryRegion region = length == 0 ? null : far.region();
    long address = length == 0 ? 0 : region.address() + START;
    pair.far()
        .bindMemoryWindow(
            window, 3, SendFlags.SIGNALED, region, address, length, AccessFlags.REMOTE_READ);
    bench.completes(far, 3, WcStatus.SUCCESS);
  }

  private static void use(Bench bench, Bench.Pair pair, Access access, int rkey) {
    Station near = bench.near();
    SendRequestList request =
        near.send(9, access.opcode())
            .sge(near.region(), 0, access.bytes())
            .remote(bench.far().region().address() + access.offset(), rkey);
    Expect.posts(pair.near(), request);
    bench.completes(near, 9, access.status());
  }
}
