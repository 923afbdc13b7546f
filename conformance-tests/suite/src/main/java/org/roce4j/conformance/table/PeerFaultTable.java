package org.roce4j.conformance.table;

import java.util.List;
import java.util.function.Function;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.DeviceCapFlags;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * Completion status on both sides, states and asynchronous event of faults that the responder of a
 * reliable connection finds (rc-transport 4 and 5).
 */
public final class PeerFaultTable extends RowTable {
  private static final String SOURCE = "rc-transport 5";
  private static final int BYTES = 64;
  private static final WrOpcode[] REMOTE = {
    WrOpcode.RDMA_WRITE,
    WrOpcode.RDMA_WRITE_WITH_IMM,
    WrOpcode.RDMA_READ,
    WrOpcode.ATOMIC_CMP_AND_SWP,
    WrOpcode.ATOMIC_FETCH_AND_ADD,
    WrOpcode.ATOMIC_WRITE
  };

  /**
   * The consequences of a fault.
   *
   * @param requester status of the request
   * @param responder status of the first receive; WR_FLUSH_ERR if no request of it was held
   * @param event event at the responder, or null
   */
  private record Outcome(WcStatus requester, WcStatus responder, EventType event) {}

  private static final Outcome ACCESS =
      new Outcome(WcStatus.REM_ACCESS_ERR, WcStatus.WR_FLUSH_ERR, EventType.QP_ACCESS_ERR);
  private static final Outcome ACCESS_WHILE_RECEIVING =
      new Outcome(WcStatus.REM_ACCESS_ERR, WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);

  private PeerFaultTable() {
    super("FLT-", SOURCE);
  }

  /** All rows. */
  public static List<Row> rows() {
    PeerFaultTable table = new PeerFaultTable();
    table.receives();
    for (WrOpcode opcode : REMOTE) {
      table.keys(opcode);
    }
    table.depth();
    return table.rows;
  }

  private void receives() {
    fault(
        "RECV_SHORT",
        "a SEND longer than the receive buffer (R5)",
        new Outcome(WcStatus.REM_INV_REQ_ERR, WcStatus.LOC_LEN_ERR, EventType.QP_REQ_ERR),
        bench -> {
          Station near = bench.near();
          return near.send(1, WrOpcode.SEND).sge(near.region(), 0, BYTES + 1);
        });
    fault(
        "RECV_SHORT_LAST",
        "a SEND of many packets whose last byte does not fit the receive buffer",
        new Outcome(WcStatus.REM_INV_REQ_ERR, WcStatus.LOC_LEN_ERR, EventType.QP_REQ_ERR),
        bench -> {
          Station near = bench.near();
          return near.send(1, WrOpcode.SEND).sge(near.region(), 0, 5000);
        });
    row(
        "PEER-RECV_LKEY",
        "a receive with an lkey that nobody has: REM_OP_ERR, LOC_PROT_ERR",
        bench -> badReceive(bench, Bench.noKey(bench.far())));
    row(
        "PEER-RECV_READ_ONLY",
        "a receive into a region without LOCAL_WRITE: REM_OP_ERR, LOC_PROT_ERR",
        bench -> badReceive(bench, bench.far().region(AccessFlags.REMOTE_READ)));
    row(
        "PEER-SEND_INV",
        "rc-transport 4",
        "SEND_WITH_INV of a key that nobody has: no answer; the receive REM_INV_REQ_ERR",
        PeerFaultTable::badInvalidate);
  }

  private static void badReceive(Bench bench, int lkey) {
    badReceive(bench, bench.far().region().address(), lkey);
  }

  private static void badReceive(Bench bench, MemoryRegion region) {
    badReceive(bench, region.address(), region.lkey());
  }

  private static void badReceive(Bench bench, long address, int lkey) {
    Bench.Pair pair = bench.pair(QpType.RC);
    Station far = bench.far();
    Expect.posts(pair.far(), far.receive(100).sge(address, BYTES, lkey));
    far.postReceives(pair.far(), 1, BYTES);
    Station near = bench.near();
    Expect.posts(pair.near(), near.send(1, WrOpcode.SEND).sge(near.region(), 0, BYTES));
    bench.completes(near, 1, WcStatus.REM_OP_ERR);
    bench.completes(far, 100, WcStatus.LOC_PROT_ERR);
    bench.completes(far, 100, WcStatus.WR_FLUSH_ERR);
    bench.becomes(pair.near(), QpState.ERR);
    bench.becomes(pair.far(), QpState.ERR);
  }

  private static void badInvalidate(Bench bench) {
    Bench.Pair pair =
        bench.pair(QpType.RC, Bench.attributes().timeout(8).retryCnt(1), Bench.attributes());
    bench.far().postReceives(pair.far(), 2, BYTES);
    Station near = bench.near();
    Expect.posts(
        pair.near(),
        near.send(1, WrOpcode.SEND_WITH_INV)
            .sge(near.region(), 0, BYTES)
            .invalidateRkey(Bench.noKey(bench.far())));
    bench.completes(near, 1, WcStatus.RETRY_EXC_ERR);
    bench.completes(bench.far(), 100, WcStatus.REM_INV_REQ_ERR);
    bench.completes(bench.far(), 101, WcStatus.WR_FLUSH_ERR);
    bench.becomes(pair.far(), QpState.ERR);
  }

  /** Each way in which a key, a range or a right can be wrong. */
  private void keys(WrOpcode opcode) {
    Outcome outcome = opcode == WrOpcode.RDMA_WRITE_WITH_IMM ? ACCESS_WHILE_RECEIVING : ACCESS;
    fault(
        opcode + "-RKEY_UNKNOWN",
        opcode + " with an rkey that nobody has",
        outcome,
        bench -> remote(bench, opcode, bench.far().region().address(), Bench.noKey(bench.far())));
    fault(
        opcode + "-RKEY_OTHER_PD",
        opcode + " with an rkey of another protection domain",
        outcome,
        bench -> {
          Station far = bench.far();
          MemoryRegion other =
              far.context().allocPd().registerMemory(far.memory(BYTES), Station.ALL_RIGHTS);
          return remote(bench, opcode, other.address(), other.rkey());
        });
    fault(
        opcode + "-RKEY_DEREGISTERED",
        opcode + " with the rkey of a region that is gone",
        outcome,
        bench -> {
          MemoryRegion gone = bench.far().region(Station.ALL_RIGHTS);
          gone.close();
          return remote(bench, opcode, gone.address(), gone.rkey());
        });
    fault(
        opcode + "-RANGE_BEYOND",
        opcode + " whose last byte is beyond the region",
        outcome,
        bench -> {
          MemoryRegion region = bench.far().region();
          return remote(bench, opcode, region.address() + Station.BYTES, region.rkey());
        });
    fault(
        opcode + "-RANGE_BEFORE",
        opcode + " whose first byte is before the region",
        outcome,
        bench -> {
          MemoryRegion region = bench.far().region();
          return remote(bench, opcode, region.address() - 8, region.rkey());
        });
    fault(
        opcode + "-RANGE_WRAP",
        opcode + " whose end wraps around the address space (R17)",
        outcome,
        bench -> remote(bench, opcode, -8, bench.far().region().rkey()));
    fault(
        opcode + "-NO_RIGHT",
        opcode + " to a region without the right",
        outcome,
        bench -> {
          MemoryRegion region = bench.far().region(AccessFlags.LOCAL_WRITE);
          return remote(bench, opcode, region.address(), region.rkey());
        });
  }

  private static SendRequestList remote(Bench bench, WrOpcode opcode, long address, int rkey) {
    Station near = bench.near();
    if (opcode == WrOpcode.ATOMIC_WRITE) {
      bench.needOfBoth(DeviceCapFlags.ATOMIC_WRITE);
    }
    boolean eight =
        switch (opcode) {
          case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD, ATOMIC_WRITE -> true;
          default -> false;
        };
    SendRequestList request = near.send(1, opcode).sge(near.region(), 0, eight ? 8 : 16);
    return eight && opcode != WrOpcode.ATOMIC_WRITE
        ? request.atomic(address, rkey, 1, 2)
        : request.remote(address, rkey);
  }

  private void depth() {
    Outcome refused =
        new Outcome(WcStatus.REM_INV_REQ_ERR, WcStatus.WR_FLUSH_ERR, EventType.QP_ACCESS_ERR);
    for (WrOpcode opcode :
        new WrOpcode[] {
          WrOpcode.RDMA_READ, WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.ATOMIC_FETCH_AND_ADD
        }) {
      row(
          "PEER-" + opcode + "-DEPTH_0",
          "rc-transport 4",
          opcode + " to a responder with max_dest_rd_atomic 0: REM_INV_REQ_ERR",
          bench -> {
            Bench.Pair pair =
                bench.pair(QpType.RC, Bench.attributes(), Bench.attributes().maxDestRdAtomic(0));
            MemoryRegion there = bench.far().region();
            happens(bench, pair, remote(bench, opcode, there.address(), there.rkey()), refused);
          });
    }
  }

  private void fault(
      String id, String title, Outcome outcome, Function<Bench, SendRequestList> request) {
    row(
        "PEER-" + id,
        title + ": " + outcome.requester() + ", the peer's receive " + outcome.responder(),
        bench -> {
          Bench.Pair pair = bench.pair(QpType.RC);
          happens(bench, pair, request.apply(bench), outcome);
        });
  }

  private static void happens(
      Bench bench, Bench.Pair pair, SendRequestList request, Outcome outcome) {
    bench.far().postReceives(pair.far(), 2, BYTES);
    Station near = bench.near();
    Expect.posts(pair.near(), request);
    Expect.posts(pair.near(), near.send(2, WrOpcode.SEND).sge(near.region(), 0, 8));
    bench.completes(near, 1, outcome.requester());
    bench.completes(near, 2, WcStatus.WR_FLUSH_ERR);
    bench.nothing(near);
    bench.completes(bench.far(), 100, outcome.responder());
    bench.completes(bench.far(), 101, WcStatus.WR_FLUSH_ERR);
    bench.nothing(bench.far());
    bench.becomes(pair.near(), QpState.ERR);
    bench.becomes(pair.far(), QpState.ERR);
    if (outcome.event() != null) {
      Expect.that(
          bench.event(bench.far(), outcome.event()).qp() == pair.far(),
          "the event names another queue pair");
    }
    bench.noEvent(bench.far());
    bench.noEvent(near);
  }
}
