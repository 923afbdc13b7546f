package org.roce4j.conformance.table;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.roce4j.conformance.Covers;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.RowSkipped;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.DeviceCapFlags;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.SgeLayout;

/** Requests built call by call: each operation of each service, and the effect of a wrong call. */
public final class WorkRequestBuilderTable extends RowTable {
  private static final String SOURCE = "man ibv_wr_post";
  private static final int BYTES = 64;
  private static final int INLINE = SendFlags.SIGNALED | SendFlags.INLINE;
  private static final Set<WrOpcode> RELIABLE =
      Set.of(
          WrOpcode.SEND,
          WrOpcode.SEND_WITH_IMM,
          WrOpcode.RDMA_WRITE,
          WrOpcode.RDMA_WRITE_WITH_IMM,
          WrOpcode.RDMA_READ,
          WrOpcode.ATOMIC_CMP_AND_SWP,
          WrOpcode.ATOMIC_FETCH_AND_ADD,
          WrOpcode.BIND_MW,
          WrOpcode.LOCAL_INV,
          WrOpcode.SEND_WITH_INV,
          WrOpcode.ATOMIC_WRITE,
          WrOpcode.FLUSH);
  private static final Set<WrOpcode> UNRELIABLE =
      Set.of(
          WrOpcode.SEND, WrOpcode.SEND_WITH_IMM, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE_WITH_IMM);
  private static final Set<WrOpcode> DATAGRAMS = Set.of(WrOpcode.SEND, WrOpcode.SEND_WITH_IMM);

  private WorkRequestBuilderTable() {
    super("WRB-", SOURCE);
  }

  /** All rows. */
  public static List<Row> rows() {
    WorkRequestBuilderTable table = new WorkRequestBuilderTable();
    for (QpType service : List.of(QpType.RC, QpType.UC, QpType.UD)) {
      table.operations(service);
    }
    table.batches();
    table.wrongCalls();
    table.lists();
    return table.rows;
  }

  private static Set<WrOpcode> of(QpType service) {
    return switch (service) {
      case RC -> RELIABLE;
      case UC -> UNRELIABLE;
      default -> DATAGRAMS;
    };
  }

  @Covers({
    "ibv_wr_start",
    "ibv_wr_complete",
    "ibv_wr_send",
    "ibv_wr_send_imm",
    "ibv_wr_send_inv",
    "ibv_wr_rdma_write",
    "ibv_wr_rdma_write_imm",
    "ibv_wr_rdma_read",
    "ibv_wr_atomic_cmp_swp",
    "ibv_wr_atomic_fetch_add",
    "ibv_wr_bind_mw",
    "ibv_wr_local_inv",
    "ibv_wr_set_sge",
    "ibv_wr_set_ud_addr"
  })
  private void operations(QpType service) {
    for (WrOpcode opcode : WrOpcode.values()) {
      if (of(service).contains(opcode)) {
        row(
            service + "-" + opcode,
            opcode + " of " + service + ", built call by call, succeeds",
            bench -> {
              if (opcode == WrOpcode.FLUSH) {
                bench.needOfBoth(DeviceCapFlags.FLUSH_GLOBAL);
              } else if (opcode == WrOpcode.ATOMIC_WRITE) {
                bench.needOfBoth(DeviceCapFlags.ATOMIC_WRITE);
              }
              Bench.Pair pair = pair(bench, service, SendOpsFlags.of(opcode));
              int room = service == QpType.UD ? BYTES + 40 : BYTES;
              bench.far().postReceives(pair.far(), 1, room);
              WorkRequestBuilder wr = pair.near().builder();
              wr.start();
              build(bench, pair, wr.wrId(1).flags(SendFlags.SIGNALED), opcode);
              Expect.posted(null, wr.complete());
              bench.completes(bench.near(), 1, WcStatus.SUCCESS);
            });
      }
    }
  }

  /**
   * A connected pair. Further operations are allowed only if a row needs them for its preparation.
   */
  private static Bench.Pair pair(Bench bench, QpType service, long operations) {
    Station near = bench.near();
    long asked =
        operations == SendOpsFlags.WITH_LOCAL_INV
            ? operations | SendOpsFlags.WITH_BIND_MW
            : operations;
    try {
      Bench.Pair pair =
          new Bench.Pair(
              near.pd().createQp(near.qpInit(service).sendOps(asked)), bench.far().qp(service));
      QpAttr rights =
          operations == SendOpsFlags.WITH_FLUSH
              ? Bench.attributes().qpAccessFlags(AccessFlags.FLUSH_GLOBAL)
              : Bench.attributes();
      bench.connect(pair.near(), pair.far(), Bench.attributes(), rights);
      return pair;
    } catch (VerbsException e) {
      if (e.errno() == Errno.EOPNOTSUPP) {
        throw new RowSkipped("the device builds no such requests: " + e.remedy());
      }
      throw e;
    }
  }

  private static void build(Bench bench, Bench.Pair pair, WorkRequestBuilder wr, WrOpcode opcode) {
    Station near = bench.near();
    long there = bench.far().region().address();
    int rkey = bench.far().region().rkey();
    switch (opcode) {
      case SEND -> wr.send();
      case SEND_WITH_IMM -> wr.sendImmediate(7);
      case SEND_WITH_INV -> wr.sendInvalidate(farWindow(bench, pair));
      case RDMA_WRITE -> wr.rdmaWrite(rkey, there);
      case RDMA_WRITE_WITH_IMM -> wr.rdmaWriteImmediate(rkey, there, 7);
      case RDMA_READ -> wr.rdmaRead(rkey, there);
      case ATOMIC_CMP_AND_SWP -> wr.compareAndSwap(rkey, there, 0, 1);
      case ATOMIC_FETCH_AND_ADD -> wr.fetchAndAdd(rkey, there, 1);
      case BIND_MW -> bind(near, wr);
      case LOCAL_INV -> {
        int key = bind(near, wr.flags(0));
        wr.flags(SendFlags.SIGNALED).localInvalidate(key);
      }
      case ATOMIC_WRITE -> wr.atomicWrite(rkey, there, 1);
      case FLUSH -> {
        MemoryRegion flushed =
            bench.far().region(AccessFlags.LOCAL_WRITE | AccessFlags.FLUSH_GLOBAL);
        wr.flush(flushed.rkey(), flushed.address(), BYTES, 1, 0);
      }
      default -> throw new IllegalArgumentException("no row for " + opcode);
    }
    boolean atomic =
        opcode == WrOpcode.ATOMIC_CMP_AND_SWP || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
    boolean bare =
        switch (opcode) {
          case BIND_MW, LOCAL_INV, FLUSH, ATOMIC_WRITE -> true;
          default -> false;
        };
    if (!bare) {
      wr.setSge(near.region(), 0, atomic ? 8 : BYTES);
    }
    if (pair.near().qpType() == QpType.UD) {
      int qkey = bench.values().qkey();
      wr.setUdAddress(near.ahTo(bench.far()), pair.far().qpNum(), qkey);
    }
  }

  private static int bind(Station station, WorkRequestBuilder wr) {
    MemoryWindow window = station.pd().allocMemoryWindow(MwType.TYPE_2);
    int key = MemoryWindow.incrementRkey(window.rkey());
    wr.bindMemoryWindow(
        window, key, station.region(), station.region().address(), BYTES, AccessFlags.REMOTE_READ);
    return key;
  }

  private static int farWindow(Bench bench, Bench.Pair pair) {
    Station far = bench.far();
    MemoryWindow window = far.pd().allocMemoryWindow(MwType.TYPE_2);
    int key = MemoryWindow.incrementRkey(window.rkey());
    long start = far.region().address();
    Expect.posts(
        pair.far(),
        far.send(9, WrOpcode.BIND_MW)
            .bindMw(window, key, far.region(), start, BYTES, AccessFlags.REMOTE_READ));
    bench.completes(far, 9, WcStatus.SUCCESS);
    return key;
  }

  @Covers({"ibv_wr_abort", "ibv_wr_set_inline_data"})
  private void batches() {
    row(
        "TOGETHER",
        "the requests of a batch follow each other in the order they were built in",
        bench -> {
          Bench.Pair pair = pair(bench, QpType.RC, SendOpsFlags.WITH_RDMA_WRITE);
          WorkRequestBuilder wr = pair.near().builder();
          wr.start();
          for (int i = 1; i <= 4; i++) {
            inlineWrite(bench, wr.wrId(i).flags(INLINE));
          }
          Expect.posted(null, wr.complete());
          for (int i = 1; i <= 4; i++) {
            bench.completes(bench.near(), i, WcStatus.SUCCESS);
          }
        });
    row(
        "ABORT",
        "nothing of a batch that is aborted is posted",
        bench -> {
          Bench.Pair pair = pair(bench, QpType.RC, SendOpsFlags.WITH_RDMA_WRITE);
          WorkRequestBuilder wr = pair.near().builder();
          wr.start();
          inlineWrite(bench, wr.wrId(1).flags(INLINE));
          wr.abort();
          onlyTheNext(bench, wr);
        });
    row(
        "NOT_ASKED",
        "an operation that the queue pair was not made for is refused, and its batch",
        bench -> {
          Bench.Pair pair = pair(bench, QpType.RC, SendOpsFlags.WITH_RDMA_WRITE);
          WorkRequestBuilder wr = pair.near().builder();
          wr.start();
          inlineWrite(bench, wr.wrId(1).flags(INLINE));
          wr.wrId(2).send().setSge(bench.near().region(), 0, BYTES);
          Expect.posted(Errno.EOPNOTSUPP, wr.complete());
          onlyTheNext(bench, wr);
        });
    row(
        "FULL",
        "a batch for which the send queue has no room is refused as a whole",
        bench -> {
          Bench.Pair pair = pair(bench, QpType.RC, SendOpsFlags.WITH_RDMA_WRITE);
          WorkRequestBuilder wr = pair.near().builder();
          wr.start();
          for (int i = 0; i <= pair.near().cap().maxSendWr(); i++) {
            inlineWrite(bench, wr.wrId(i).flags(INLINE));
          }
          Expect.posted(Errno.ENOMEM, wr.complete());
          onlyTheNext(bench, wr);
        });
    row(
        "NONE",
        "a queue pair that was made without operations has no builder",
        bench -> Expect.refused(Errno.EOPNOTSUPP, () -> bench.near().qp(QpType.RC).builder()));
  }

  private void wrongCalls() {
    long write = SendOpsFlags.WITH_RDMA_WRITE;
    refused(
        "DATA_FIRST",
        "data come after their operation",
        QpType.RC,
        write,
        (bench, wr) -> wr.setSge(bench.near().region(), 0, BYTES));
    refused(
        "OWN_DATA",
        "an operation that names its data takes no others",
        QpType.RC,
        SendOpsFlags.WITH_ATOMIC_WRITE | write,
        (bench, wr) -> {
          bench.near().need(DeviceCapFlags.ATOMIC_WRITE);
          MemoryRegion there = bench.far().region();
          wr.atomicWrite(there.rkey(), there.address(), 1);
          wr.setSge(bench.near().region(), 0, BYTES);
        });
    refused(
        "OTHER_DESTINATION",
        "a connected queue pair's requests have no address of their own",
        QpType.RC,
        write,
        (bench, wr) -> {
          inlineWrite(bench, wr);
          wr.setUdAddress(bench.near().ahTo(bench.far()), 7, 7);
        });
    row(
        "NO_DESTINATION",
        "a datagram without its address is refused",
        bench -> {
          WorkRequestBuilder wr = pair(bench, QpType.UD, SendOpsFlags.WITH_SEND).near().builder();
          wr.start();
          wr.wrId(1).flags(INLINE).send().setSge(bench.near().region(), 0, BYTES);
          Expect.posted(Errno.EINVAL, wr.complete());
        });
  }

  /** A batch with a wrong call is refused as a whole, and the next one is posted. */
  private void refused(
      String id,
      String title,
      QpType service,
      long operations,
      BiConsumer<Bench, WorkRequestBuilder> call) {
    row(
        id,
        title,
        bench -> {
          WorkRequestBuilder wr = pair(bench, service, operations).near().builder();
          wr.start();
          call.accept(bench, wr.wrId(1).flags(SendFlags.SIGNALED));
          Expect.posted(Errno.EINVAL, wr.complete());
          onlyTheNext(bench, wr);
        });
  }

  @Covers({"ibv_wr_set_inline_data_list", "ibv_wr_set_sge_list"})
  private void lists() {
    row(
        "INLINE_FLAG",
        "inline data needs no flag",
        bench ->
            lands(
                bench,
                wr -> write(bench, wr, SendFlags.SIGNALED).setInlineData(pieces(8).getFirst())));
    row(
        "INLINE_LIST",
        "inline data of several buffers arrive as one message",
        bench -> lands(bench, wr -> write(bench, wr, INLINE).setInlineDataList(pieces(1, 2, 5))));
    row(
        "SGE_LIST",
        "elements of unequal length arrive as one message",
        bench -> {
          MemoryRegion from = bench.near().region();
          lands(
              bench,
              wr -> {
                List<MemorySegment> pieces = pieces(1, 2, 5);
                MemorySegment list =
                    Arena.ofAuto().allocate((long) SgeLayout.SIZE * pieces.size(), Long.BYTES);
                long at = 0;
                for (int i = 0; i < pieces.size(); i++) {
                  long size = pieces.get(i).byteSize();
                  from.memory().asSlice(at, size).copyFrom(pieces.get(i));
                  long element = (long) i * SgeLayout.SIZE;
                  SgeLayout.addr(list, element, from.address() + at);
                  SgeLayout.length(list, element, (int) size);
                  SgeLayout.lkey(list, element, from.lkey());
                  at += size;
                }
                write(bench, wr, SendFlags.SIGNALED).setSgeList(list, pieces.size());
              });
        });
  }

  /** The built request writes the bytes 1 to 8. */
  private static void lands(Bench bench, Consumer<WorkRequestBuilder> request) {
    Bench.Pair pair = pair(bench, QpType.RC, SendOpsFlags.WITH_RDMA_WRITE);
    WorkRequestBuilder wr = pair.near().builder();
    wr.start();
    request.accept(wr);
    Expect.posted(null, wr.complete());
    bench.completes(bench.near(), 1, WcStatus.SUCCESS);
    byte[] landed = bench.far().region().memory().asSlice(0, 9).toArray(ValueLayout.JAVA_BYTE);
    Expect.equal("what landed", "[1, 2, 3, 4, 5, 6, 7, 8, 0]", Arrays.toString(landed));
  }

  private static WorkRequestBuilder write(Bench bench, WorkRequestBuilder wr, int flags) {
    MemoryRegion there = bench.far().region();
    return wr.wrId(1).flags(flags).rdmaWrite(there.rkey(), there.address());
  }

  /** Buffers of these sizes, filled with 1, 2, 3 and so on. */
  private static List<MemorySegment> pieces(int... sizes) {
    List<MemorySegment> pieces = new ArrayList<>();
    byte next = 1;
    for (int size : sizes) {
      byte[] bytes = new byte[size];
      for (int i = 0; i < size; i++) {
        bytes[i] = next++;
      }
      pieces.add(MemorySegment.ofArray(bytes));
    }
    return pieces;
  }

  private static void inlineWrite(Bench bench, WorkRequestBuilder wr) {
    Station far = bench.far();
    wr.rdmaWrite(far.region().rkey(), far.region().address())
        .setInlineData(MemorySegment.ofArray(new byte[8]));
  }

  private static void onlyTheNext(Bench bench, WorkRequestBuilder wr) {
    wr.start();
    inlineWrite(bench, wr.wrId(99).flags(INLINE));
    Expect.posted(null, wr.complete());
    bench.completes(bench.near(), 99, WcStatus.SUCCESS);
    bench.nothing(bench.near());
  }
}
