package org.roce4j.conformance.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.roce4j.conformance.Check;
import org.roce4j.conformance.Covers;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Advice;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Ece;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ForkStatus;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.ThreadDomain;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * Verbs of domains, memory and queue pairs that came after the first libibverbs, each used as its
 * manual page says. A device that lacks one refuses it: on a device whose refusals are declared the
 * errno must be the declared one.
 */
public final class LaterVerbTable {
  private static final int BYTES = 64;
  private static final int DMABUF_BYTES = 4096;

  private final List<Row> rows = new ArrayList<>();

  private LaterVerbTable() {}

  /** All rows. The source of each names the calls that a device without them refuses. */
  public static List<Row> rows() {
    LaterVerbTable table = new LaterVerbTable();
    table.processes();
    table.domains();
    table.deviceMemory();
    table.memory();
    table.queuePairs();
    table.imports();
    return table.rows;
  }

  private void row(String id, String calls, String title, Check check) {
    rows.add(new Row("VRB-" + id, "man " + calls, title, check));
  }

  @Covers({"ibv_fork_init", "ibv_is_fork_initialized"})
  private void processes() {
    row(
        "FORK",
        "ibv_fork_init, ibv_is_fork_initialized",
        "ibv_fork_init makes forks harmless, or is too late once memory is registered (EINVAL)",
        bench -> {
          bench.near().region();
          try {
            Verbs.forkInit();
            Expect.that(Verbs.forkStatus() != ForkStatus.DISABLED, "forks do harm");
          } catch (VerbsException e) {
            // So does libibverbs 44, even where the kernel copies on fork and none is needed.
            Expect.equal("the errno", Errno.EINVAL, e.errno());
          }
        });
  }

  @Covers({"ibv_alloc_td", "ibv_dealloc_td", "ibv_alloc_parent_domain"})
  private void domains() {
    row(
        "TD",
        "ibv_alloc_td, ibv_dealloc_td",
        "a thread domain is allocated and deallocated",
        bench -> Expect.accepted(() -> bench.near().context().allocTd().close()));
    row(
        "PARENT_DOMAIN",
        "ibv_alloc_parent_domain",
        "a parent domain is used as the domain beneath it",
        bench -> {
          Station near = bench.near();
          ProtectionDomain parent =
              near.context().allocParentDomain(new ParentDomainInitAttr(near.pd()));
          Expect.that(parent.beneath() == near.pd(), "another domain beneath");
          QueuePair qp = parent.createQp(near.qpInit(QpType.RC));
          MemoryRegion region = parent.registerMemory(near.memory(BYTES), 0);
          region.close();
          qp.close();
          parent.close();
        });
    row(
        "PARENT_DOMAIN-TD",
        "ibv_alloc_td, ibv_dealloc_td, ibv_alloc_parent_domain",
        "a parent domain of a thread domain lives as long as that is needed",
        bench -> {
          Station near = bench.near();
          ThreadDomain td = near.context().allocTd();
          ProtectionDomain parent =
              near.context().allocParentDomain(new ParentDomainInitAttr(near.pd(), td));
          Expect.refused(Errno.EBUSY, td::close);
          parent.close();
          td.close();
        });
  }

  @Covers({
    "ibv_alloc_dm",
    "ibv_free_dm",
    "ibv_memcpy_to_dm",
    "ibv_memcpy_from_dm",
    "ibv_reg_dm_mr"
  })
  private void deviceMemory() {
    row(
        "DM",
        "ibv_alloc_dm, ibv_free_dm, ibv_memcpy_to_dm, ibv_memcpy_from_dm",
        "what is copied into device memory is copied out of it",
        bench -> {
          Station near = bench.near();
          DeviceMemory dm = near.context().allocDm(BYTES, 3);
          dm.copyTo(BYTES - 4, MemorySegment.ofArray(new int[] {0x1234}));
          MemorySegment out = near.memory(BYTES);
          dm.copyFrom(out, 0);
          Expect.equal("what was copied", 0x1234, out.get(ValueLayout.JAVA_INT, BYTES - 4));
          dm.close();
        });
    row(
        "DM_MR",
        "ibv_alloc_dm, ibv_free_dm, ibv_memcpy_from_dm, ibv_reg_dm_mr",
        "peers write into registered device memory, by its key, from address 0 on",
        bench -> {
          Station far = bench.far();
          DeviceMemory dm = far.context().allocDm(BYTES, 3);
          int rights = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.ZERO_BASED;
          MemoryRegion there = far.pd().registerDeviceMemory(dm, 0, BYTES, rights);
          writes(bench, 8, there.rkey());
          MemorySegment out = far.memory(Long.BYTES);
          dm.copyFrom(out, 8);
          Expect.equal("what was written", 7L, out.get(ValueLayout.JAVA_LONG, 0));
          there.close();
          dm.close();
        });
  }

  /** A WRITE of the long 7. */
  private static void writes(Bench bench, long address, int rkey) {
    Station near = bench.near();
    Bench.Pair pair = bench.pair(QpType.RC);
    near.region().memory().set(ValueLayout.JAVA_LONG, 0, 7);
    Expect.posts(
        pair.near(),
        near.send(1, WrOpcode.RDMA_WRITE).sge(near.region(), 0, Long.BYTES).remote(address, rkey));
    bench.completes(near, 1, WcStatus.SUCCESS);
  }

  @Covers({"ibv_rereg_mr", "ibv_alloc_null_mr", "ibv_advise_mr"})
  private void memory() {
    row(
        "REREG-ACCESS",
        "ibv_rereg_mr",
        "a region that is registered anew with other rights has them",
        bench -> {
          Station far = bench.far();
          MemoryRegion region = far.region(AccessFlags.LOCAL_WRITE);
          region.reregister(null, Station.ALL_RIGHTS);
          writes(bench, region.address(), region.rkey());
          Expect.equal("what is there", 7L, region.memory().get(ValueLayout.JAVA_LONG, 0));
          region.close();
        });
    row(
        "REREG-PD",
        "ibv_rereg_mr",
        "a region moves to another domain, and is closed before it",
        bench -> {
          Station near = bench.near();
          ProtectionDomain other = near.context().allocPd();
          MemoryRegion region = near.region(AccessFlags.LOCAL_WRITE);
          region.reregister(other, -1);
          Expect.that(region.pd() == other, "it is in " + region.pd());
          region.close();
          other.close();
        });
    row(
        "NULL_MR",
        "ibv_alloc_null_mr",
        "a null region has a key for requests of this domain",
        bench -> {
          MemoryRegion nowhere = bench.near().pd().allocNullMr();
          Bench.Pair pair = bench.pair(QpType.RC);
          MemoryRegion there = bench.far().region();
          Expect.posts(
              pair.near(),
              bench
                  .near()
                  .send(1, WrOpcode.RDMA_READ)
                  .sge(0, BYTES, nowhere.lkey())
                  .remote(there.address(), there.rkey()));
          bench.completes(bench.near(), 1, WcStatus.SUCCESS);
          nowhere.close();
        });
    row(
        "ADVISE_MR",
        "ibv_advise_mr",
        "advice about memory of a key that nobody has is refused",
        bench -> {
          Station near = bench.near();
          MemorySegment memory = near.memory(Station.BYTES);
          List<Sge> unknown = List.of(new Sge(memory.address(), BYTES, Bench.noKey(near)));
          Expect.refused(
              Errno.EFAULT, () -> near.pd().adviseMr(Advice.PREFETCH, Advice.FLUSH, unknown));
        });
  }

  @Covers({
    "ibv_modify_qp_rate_limit",
    "ibv_query_qp_data_in_order",
    "ibv_query_ece",
    "ibv_set_ece",
    "ibv_post_srq_ops"
  })
  private void queuePairs() {
    row(
        "RATE_LIMIT",
        "ibv_modify_qp_rate_limit",
        "a queue pair that sends takes a rate",
        bench -> {
          QueuePair qp = bench.near(QpType.RC, QpState.RTS);
          Expect.accepted(() -> qp.modifyRateLimit(new QpRateLimitAttr(1_000_000)));
          Expect.accepted(() -> qp.modifyRateLimit(new QpRateLimitAttr(0)));
        });
    row(
        "DATA_IN_ORDER",
        "ibv_query_qp_data_in_order",
        "a device that promises no order of bytes says so",
        bench -> {
          QueuePair qp = bench.near(QpType.RC, QpState.RTS);
          Expect.that(!qp.queryDataInOrder(WrOpcode.RDMA_WRITE, 0), "it promises an order");
        });
    ofTheKernel(
        "QUERY_ECE",
        "ibv_query_ece",
        "a queue pair tells what its vendor enhances in connections",
        bench -> bench.near().qp(QpType.RC).queryEce());
    ofTheKernel(
        "SET_ECE",
        "ibv_set_ece",
        "a queue pair takes what its peer's vendor enhances",
        bench -> bench.near().qp(QpType.RC).setEce(new Ece(0, 0)));
    row(
        "POST_SRQ_OPS",
        "ibv_post_srq_ops",
        "a shared receive queue that matches no tags refuses operations on them",
        bench -> {
          SharedReceiveQueue srq = bench.near().pd().createSrq(new SrqInitAttr(1, 1));
          Expect.refused(Errno.EOPNOTSUPP, () -> srq.postOps(0));
          srq.close();
        });
  }

  /** The handles of a device for other processes, and its vendor. */
  private void ofTheKernel(String id, String call, String title, Consumer<Bench> use) {
    row(
        id,
        call,
        title + "; a device of one process refuses it",
        bench -> {
          if (bench.has(Capability.KERNEL_DEVICE)) {
            use.accept(bench);
          } else {
            Expect.refused(Errno.EOPNOTSUPP, () -> use.accept(bench));
          }
        });
  }

  @Covers({
    "ibv_import_device",
    "ibv_import_pd",
    "ibv_unimport_pd",
    "ibv_import_mr",
    "ibv_unimport_mr",
    "ibv_import_dm",
    "ibv_unimport_dm",
    "ibv_reg_dmabuf_mr"
  })
  private void imports() {
    ofTheKernel(
        "IMPORT_DEVICE",
        "ibv_import_device",
        "a device that another process opened is imported by its descriptor",
        bench -> {
          try (Context own = bench.near().context().device().open()) {
            Verbs.importDevice(own.cmdFd()).queryDevice();
          }
        });
    ofTheKernel(
        "IMPORT_PD",
        "ibv_import_pd, ibv_unimport_pd",
        "a domain that another process allocated is imported by its handle",
        bench -> bench.near().context().importPd(bench.near().pd().handle()).close());
    ofTheKernel(
        "IMPORT_MR",
        "ibv_import_mr, ibv_unimport_mr",
        "a region that another process registered is imported by its handle",
        bench -> bench.near().pd().importMr(bench.near().region().handle()).close());
    ofTheKernel(
        "IMPORT_DM",
        "ibv_import_dm, ibv_unimport_dm",
        "device memory that another process allocated is imported by its handle",
        bench -> bench.near().context().importDm(1).close());
    row(
        "DMABUF",
        "ibv_reg_dmabuf_mr",
        "a descriptor of no other device's buffer is refused; a device of one process takes none",
        bench -> {
          ProtectionDomain pd = bench.near().pd();
          int rights = AccessFlags.LOCAL_WRITE;
          Expect.refused(
              bench.has(Capability.KERNEL_DEVICE) ? Errno.EBADF : Errno.EOPNOTSUPP,
              () -> pd.registerDmabuf(0, DMABUF_BYTES, 0, Integer.MAX_VALUE, rights));
        });
  }
}
