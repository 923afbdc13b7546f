package org.roce4j.conformance.table;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.conformance.Covers;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.BenchCompletion;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.RowSkipped;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Completions that are read in place, field by field. */
public final class ExtendedCompletionTable extends RowTable {
  private static final String SOURCE = "man ibv_create_cq_ex";
  private static final int BYTES = 64;
  private static final int GRH = 40;
  private static final int IMMEDIATE = 0x1234_5678;
  private static final int CQE = 16;
  private static final int ENOENT = Errno.ENOENT.number();

  private ExtendedCompletionTable() {
    super("ECQ-", SOURCE);
  }

  /** All rows. */
  public static List<Row> rows() {
    ExtendedCompletionTable table = new ExtendedCompletionTable();
    table.polling();
    table.fields();
    table.row(
        "NOT_ASKED",
        "a field that the queue was not created for is refused",
        ExtendedCompletionTable::notAsked);
    table.row("TIMES", "completions bear times in their order", ExtendedCompletionTable::times);
    return table.rows;
  }

  @Covers({
    "ibv_create_cq_ex",
    "ibv_cq_ex_to_cq",
    "ibv_start_poll",
    "ibv_next_poll",
    "ibv_end_poll"
  })
  private void polling() {
    row(
        "EMPTY",
        "a poll of an empty queue does not start",
        bench -> Expect.posted(Errno.ENOENT, queue(bench.near(), plain()).startPoll()));
    row(
        "ORDER",
        "completions are read in order and once",
        bench -> {
          Ends ends = Ends.of(bench, QpType.RC, WcExFlags.STANDARD);
          for (int round = 0; round < 2; round++) {
            ends.writes(4 * round, 4);
            Expect.equal("what is read", List.of(4L * round, 4L * round + 1), ends.read(2));
            Expect.equal("what is read", List.of(4L * round + 2, 4L * round + 3), ends.read(2));
            Expect.posted(Errno.ENOENT, ends.near.startPoll());
          }
        });
    row(
        "WITHOUT_NEXT",
        "what a poll has stood at is gone when it ends",
        bench -> {
          Ends ends = Ends.of(bench, QpType.RC, WcExFlags.STANDARD);
          ends.writes(0, 3);
          for (long id = 0; id < 3; id++) {
            Expect.equal("what is read", List.of(id), ends.read(1));
          }
          Expect.posted(Errno.ENOENT, ends.near.startPoll());
        });
    row(
        "PLAIN",
        "ibv_poll_cq takes what no extended poll has read",
        bench -> {
          Ends ends = Ends.of(bench, QpType.RC, WcExFlags.STANDARD);
          ends.writes(0, 3);
          Expect.equal("what is read", List.of(0L), ends.read(1));
          for (long id = 1; id < 3; id++) {
            BenchCompletion[] found = new BenchCompletion[1];
            bench
                .link()
                .await(() -> (found[0] = bench.near().poll(ends.near)) != null, Bench.SOON_NS);
            Expect.that(found[0] != null, "no completion came");
            Expect.equal("wr_id", id, found[0].wrId());
          }
          Expect.posted(Errno.ENOENT, ends.near.startPoll());
        });
  }

  @Covers({
    "ibv_wc_read_opcode",
    "ibv_wc_read_byte_len",
    "ibv_wc_read_imm_data",
    "ibv_wc_read_invalidated_rkey",
    "ibv_wc_read_qp_num",
    "ibv_wc_read_src_qp",
    "ibv_wc_read_wc_flags"
  })
  private void fields() {
    for (WrOpcode opcode :
        List.of(
            WrOpcode.RDMA_WRITE,
            WrOpcode.RDMA_READ,
            WrOpcode.ATOMIC_CMP_AND_SWP,
            WrOpcode.ATOMIC_FETCH_AND_ADD,
            WrOpcode.SEND)) {
      row(
          "OPCODE-" + opcode,
          "the completion of " + opcode + " tells its operation",
          bench -> requesterFields(bench, opcode));
    }
    for (WrOpcode opcode : List.of(WrOpcode.SEND, WrOpcode.SEND_WITH_IMM)) {
      for (QpType service : List.of(QpType.RC, QpType.UC, QpType.UD)) {
        row(
            service + "-RECEIVED-" + opcode,
            "the receiver of " + opcode + " (" + service + ") reads every field of it",
            bench -> receivedFields(bench, service, opcode));
      }
    }
    row(
        "RC-RECEIVED-RDMA_WRITE_WITH_IMM",
        "the receiver of RDMA_WRITE_WITH_IMM (RC) reads every field of it",
        bench -> receivedFields(bench, QpType.RC, WrOpcode.RDMA_WRITE_WITH_IMM));
    row("INVALIDATED", "the key that the peer invalidated is read", this::invalidated);
    row(
        "FLUSHED",
        "identifier and status of a flushed request are read",
        bench -> {
          Ends ends = Ends.of(bench, QpType.RC, WcExFlags.STANDARD);
          bench.far().postReceives(ends.pair.far(), 1, BYTES);
          ends.pair.far().modify(new QpAttr().qpState(QpState.ERR));
          ends.start(ends.far);
          Expect.equal("wr_id", 100L, ends.far.wrId());
          Expect.equal("status", WcStatus.WR_FLUSH_ERR, ends.far.status());
          ends.far.endPoll();
        });
  }

  private static void requesterFields(Bench bench, WrOpcode opcode) {
    Ends ends = Ends.of(bench, QpType.RC, WcExFlags.STANDARD);
    boolean atomic =
        opcode == WrOpcode.ATOMIC_CMP_AND_SWP || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
    ends.sends(opcode, 7, atomic ? 8 : BYTES);
    ends.start(ends.near);
    Expect.equal("wr_id", 7L, ends.near.wrId());
    Expect.equal("status", WcStatus.SUCCESS, ends.near.status());
    WcOpcode expected =
        switch (opcode) {
          case ATOMIC_CMP_AND_SWP -> WcOpcode.COMP_SWAP;
          case ATOMIC_FETCH_AND_ADD -> WcOpcode.FETCH_ADD;
          default -> WcOpcode.valueOf(opcode.name());
        };
    Expect.equal("opcode", expected, ends.near.readOpcode());
    Expect.equal("qp_num", ends.pair.near().qpNum(), ends.near.readQpNum());
    ends.near.endPoll();
  }

  private static void receivedFields(Bench bench, QpType service, WrOpcode opcode) {
    Ends ends = Ends.of(bench, service, WcExFlags.STANDARD);
    ends.sends(opcode, 7, BYTES);
    boolean datagram = service == QpType.UD;
    boolean immediate = opcode != WrOpcode.SEND;
    ends.start(ends.far);
    Expect.equal("wr_id", 100L, ends.far.wrId());
    Expect.equal("status", WcStatus.SUCCESS, ends.far.status());
    WcOpcode expected =
        opcode == WrOpcode.RDMA_WRITE_WITH_IMM ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV;
    Expect.equal("opcode", expected, ends.far.readOpcode());
    Expect.equal("byte_len", BYTES + (datagram ? GRH : 0), ends.far.readByteLength());
    Expect.equal("qp_num", ends.pair.far().qpNum(), ends.far.readQpNum());
    if (immediate) {
      Expect.equal("imm_data", IMMEDIATE, ends.far.readImmediate());
    }
    if (datagram) {
      Expect.equal("src_qp", ends.pair.near().qpNum(), ends.far.readSourceQp());
    }
    int flags = (datagram ? WcFlags.GRH : 0) | (immediate ? WcFlags.WITH_IMM : 0);
    Expect.equal("wc_flags", flags, ends.far.readWcFlags());
    ends.far.endPoll();
  }

  private void invalidated(Bench bench) {
    Ends ends = Ends.of(bench, QpType.RC, WcExFlags.STANDARD);
    Station far = bench.far();
    MemoryWindow window = far.pd().allocMemoryWindow(MwType.TYPE_2);
    int key = MemoryWindow.incrementRkey(window.rkey());
    long start = far.region().address();
    Expect.posts(
        ends.pair.far(),
        far.send(9, WrOpcode.BIND_MW)
            .bindMw(window, key, far.region(), start, BYTES, AccessFlags.REMOTE_WRITE));
    Expect.equal("what is read", List.of(9L), ends.read(ends.far, 1));
    far.postReceives(ends.pair.far(), 1, BYTES);
    Station near = bench.near();
    Expect.posts(
        ends.pair.near(),
        near.send(1, WrOpcode.SEND_WITH_INV).sge(near.region(), 0, BYTES).invalidateRkey(key));
    ends.start(ends.far);
    Expect.equal("wc_flags", WcFlags.WITH_INV, ends.far.readWcFlags());
    Expect.equal("invalidated rkey", key, ends.far.readInvalidatedRkey());
    ends.far.endPoll();
  }

  private static void notAsked(Bench bench) {
    Ends ends = Ends.of(bench, QpType.RC, 0);
    ends.writes(3, 1);
    ends.start(ends.near);
    Expect.equal("wr_id", 3L, ends.near.wrId());
    Expect.equal("opcode", WcOpcode.RDMA_WRITE, ends.near.readOpcode());
    Expect.refused(Errno.EINVAL, ends.near::readByteLength);
    Expect.refused(Errno.EINVAL, ends.near::readQpNum);
    Expect.refused(Errno.EINVAL, ends.near::readCompletionTimestamp);
    ends.near.endPoll();
  }

  private static void times(Bench bench) {
    Ends ends = Ends.of(bench, QpType.RC, WcExFlags.WITH_COMPLETION_TIMESTAMP);
    long before = 0;
    for (int i = 0; i < 4; i++) {
      ends.writes(i, 1);
      ends.start(ends.near);
      long time = ends.near.readCompletionTimestamp();
      ends.near.endPoll();
      Expect.that(time >= before, "a completion of time " + time + " follows one of " + before);
      before = time;
    }
    Expect.that(!bench.has(Capability.VIRTUAL_TIME) || before > 0, "no time has passed");
  }

  private static CqInitAttr plain() {
    return new CqInitAttr().cqe(CQE);
  }

  private static ExtendedCompletionQueue queue(Station station, CqInitAttr attr) {
    try {
      return station.context().createCqEx(attr);
    } catch (VerbsException e) {
      if (e.errno() == Errno.EOPNOTSUPP) {
        throw new RowSkipped("the device makes no such queue: " + e.remedy());
      }
      throw e;
    }
  }

  /** Two connected queue pairs, each with an extended completion queue. */
  private record Ends(
      Bench bench, Bench.Pair pair, ExtendedCompletionQueue near, ExtendedCompletionQueue far) {
    static Ends of(Bench bench, QpType service, int wcFlags) {
      ExtendedCompletionQueue near = queue(bench.near(), plain().wcFlags(wcFlags));
      ExtendedCompletionQueue far = queue(bench.far(), plain().wcFlags(wcFlags));
      Bench.Pair pair =
          new Bench.Pair(
              bench.near().pd().createQp(bench.near().qpInit(service).cq(near)),
              bench.far().pd().createQp(bench.far().qpInit(service).cq(far)));
      bench.connect(pair.near(), pair.far(), Bench.attributes(), Bench.attributes());
      return new Ends(bench, pair, near, far);
    }

    /** Posts writes whose identifiers begin with {@code first}. */
    void writes(int first, int count) {
      for (int i = first; i < first + count; i++) {
        sends(WrOpcode.RDMA_WRITE, i, 8);
      }
    }

    void sends(WrOpcode opcode, long wrId, int bytes) {
      Station from = bench.near();
      boolean datagram = pair.far().qpType() == QpType.UD;
      boolean send = opcode == WrOpcode.SEND || opcode == WrOpcode.SEND_WITH_IMM;
      boolean immediate = opcode.name().endsWith("_WITH_IMM");
      if (send || immediate) {
        bench.far().postReceives(pair.far(), 1, bytes + (datagram ? GRH : 0));
      }
      SendRequestList request = from.send(wrId, opcode).sge(from.region(), 0, bytes);
      long there = bench.far().region().address();
      int rkey = bench.far().region().rkey();
      if (opcode.name().startsWith("ATOMIC_")) {
        request.atomic(there, rkey, 1, 2);
      } else if (!send) {
        request.remote(there, rkey);
      }
      if (immediate) {
        request.immediate(IMMEDIATE);
      }
      if (datagram) {
        request.ud(from.ahTo(bench.far()), pair.far().qpNum(), bench.values().qkey());
      }
      Expect.posts(pair.near(), request);
    }

    void start(ExtendedCompletionQueue queue) {
      int[] errno = {ENOENT};
      bench.link().await(() -> (errno[0] = queue.startPoll()) != ENOENT, Bench.SOON_NS);
      Expect.posted(null, errno[0]);
    }

    List<Long> read(int count) {
      return read(near, count);
    }

    /** Reads {@code count} completions and returns their identifiers. */
    List<Long> read(ExtendedCompletionQueue queue, int count) {
      List<Long> ids = new ArrayList<>();
      while (ids.size() < count) {
        start(queue);
        do {
          ids.add(queue.wrId());
        } while (ids.size() < count && queue.nextPoll() == 0);
        queue.endPoll();
      }
      return ids;
    }
  }
}
