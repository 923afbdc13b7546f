package org.roce4j.conformance.table;

import java.lang.foreign.Arena;
import java.util.List;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Completion status of faults that the requester finds by itself (rc-transport 5). */
public final class LocalFaultTable extends RowTable {
  private static final String SOURCE = "rc-transport 5";
  private static final QpType[] SERVICES = {QpType.RC, QpType.UC, QpType.UD};
  private static final int BYTES = 64;

  private LocalFaultTable() {
    super("FLT-", SOURCE);
  }

  /** All rows. */
  public static List<Row> rows() {
    LocalFaultTable table = new LocalFaultTable();
    for (QpType service : SERVICES) {
      table.sources(service);
      table.afterwards(service);
    }
    table.lengths();
    table.destinations();
    table.binds();
    table.silence();
    return table.rows;
  }

  /** A source that the work request may not read. */
  private void sources(QpType service) {
    row(
        service + "-LKEY_UNKNOWN",
        "an lkey that nobody has: LOC_PROT_ERR (" + service + ")",
        bench -> {
          Station near = bench.near();
          source(bench, service, near.region().address(), Bench.noKey(near));
        });
    row(
        service + "-LKEY_OTHER_PD",
        "an lkey of another protection domain: LOC_PROT_ERR (" + service + ")",
        bench -> {
          Station near = bench.near();
          MemoryRegion other =
              near.context().allocPd().registerMemory(near.memory(BYTES), AccessFlags.LOCAL_WRITE);
          source(bench, service, other.address(), other.lkey());
        });
    row(
        service + "-SGE_BEYOND",
        "an element that ends one byte beyond its region: LOC_PROT_ERR (" + service + ")",
        bench -> {
          MemoryRegion region = bench.near().region();
          source(bench, service, region.address() + Station.BYTES - BYTES + 1, region.lkey());
        });
    row(
        service + "-SGE_BEFORE",
        "an element that begins one byte before its region: LOC_PROT_ERR (" + service + ")",
        bench -> {
          MemoryRegion region = bench.near().region();
          source(bench, service, region.address() - 1, region.lkey());
        });
    row(
        service + "-SGE_WRAP",
        "an element whose end wraps around the address space: LOC_PROT_ERR (" + service + ")",
        bench -> source(bench, service, -8, bench.near().region().lkey()));
    row(
        service + "-LKEY_DEREGISTERED",
        "the lkey of a region that is gone: LOC_PROT_ERR (" + service + ")",
        bench -> {
          MemoryRegion gone = bench.near().region(AccessFlags.LOCAL_WRITE);
          gone.close();
          source(bench, service, gone.address(), gone.lkey());
        });
  }

  private static void source(Bench bench, QpType service, long address, int lkey) {
    Bench.Pair pair = bench.pair(service);
    bench.far().postReceives(pair.far(), 1, BYTES + 40);
    SendRequestList request = bench.near().send(1, WrOpcode.SEND).sge(address, BYTES, lkey);
    fails(bench, pair, request, WcStatus.LOC_PROT_ERR);
    bench.nothing(bench.far());
    Expect.equal("the peer's state", QpState.RTS, pair.far().state());
  }

  /** The request fails; RC goes to ERR, UC and UD to SQE. */
  private static void fails(
      Bench bench, Bench.Pair pair, SendRequestList request, WcStatus status) {
    addressed(bench, pair, request);
    Expect.posts(pair.near(), request);
    bench.completes(bench.near(), 1, status);
    bench.becomes(pair.near(), pair.near().qpType() == QpType.RC ? QpState.ERR : QpState.SQE);
  }

  private static SendRequestList addressed(Bench bench, Bench.Pair pair, SendRequestList request) {
    if (pair.near().qpType() == QpType.UD) {
      request.ud(bench.near().ahTo(bench.far()), pair.far().qpNum(), bench.values().qkey());
    }
    return request;
  }

  private void afterwards(QpType service) {
    row(
        service + "-REST_FLUSHED",
        "what was posted after the failing request is flushed in order, signaled or not"
            + " ("
            + service
            + ")",
        bench -> restFlushed(bench, service));
    if (service != QpType.RC) {
      row(
          service + "-SQE_RECEIVES",
          "in SQE the receive side goes on (" + service + ")",
          bench -> receivesInSqe(bench, service));
      row(
          service + "-SQE_LEFT",
          "SQE is left by modify to RTS, and sending works again (" + service + ")",
          bench -> leavesSqe(bench, service));
    }
  }

  private static void restFlushed(Bench bench, QpType service) {
    Station near = bench.near();
    Bench.Pair pair = bench.pair(service);
    bench.far().postReceives(pair.far(), 4, BYTES + 40);
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 4, 1, 0);
    for (int i = 0; i < 4; i++) {
      list.add().wrId(i).opcode(WrOpcode.SEND);
      list.sge(near.region().address(), BYTES, i == 1 ? Bench.noKey(near) : near.region().lkey());
      addressed(bench, pair, list);
    }
    Expect.posts(pair.near(), list);
    bench.completes(near, 1, WcStatus.LOC_PROT_ERR);
    bench.completes(near, 2, WcStatus.WR_FLUSH_ERR);
    bench.completes(near, 3, WcStatus.WR_FLUSH_ERR);
    bench.nothing(near);
    bench.completes(bench.far(), 100, WcStatus.SUCCESS);
    bench.nothing(bench.far());
  }

  private static Bench.Pair inSqe(Bench bench, QpType service) {
    Bench.Pair pair = bench.pair(service);
    Station near = bench.near();
    fails(
        bench,
        pair,
        near.send(1, WrOpcode.SEND).sge(near.region().address(), 8, Bench.noKey(near)),
        WcStatus.LOC_PROT_ERR);
    return pair;
  }

  private static void receivesInSqe(Bench bench, QpType service) {
    Bench.Pair pair = inSqe(bench, service);
    bench.near().postReceives(pair.near(), 1, BYTES + 40);
    Station far = bench.far();
    SendRequestList request = far.send(2, WrOpcode.SEND).sge(far.region(), 0, BYTES);
    if (service == QpType.UD) {
      request.ud(far.ahTo(bench.near()), pair.near().qpNum(), bench.values().qkey());
    }
    Expect.posts(pair.far(), request);
    bench.completes(bench.near(), 100, WcStatus.SUCCESS);
  }

  private static void leavesSqe(Bench bench, QpType service) {
    Bench.Pair pair = inSqe(bench, service);
    pair.near().modify(new QpAttr().qpState(QpState.RTS));
    bench.far().postReceives(pair.far(), 1, BYTES + 40);
    Station near = bench.near();
    Expect.posts(
        pair.near(),
        addressed(bench, pair, near.send(2, WrOpcode.SEND).sge(near.region(), 0, BYTES)));
    bench.completes(near, 2, WcStatus.SUCCESS);
    bench.completes(bench.far(), 100, WcStatus.SUCCESS);
  }

  private void lengths() {
    row(
        "RC-LENGTH_OVER",
        "a message of more than 2^31 bytes: LOC_LEN_ERR (RC)",
        bench -> tooLong(bench, QpType.RC));
    row(
        "UC-LENGTH_OVER",
        "a message of more than 2^31 bytes: LOC_LEN_ERR (UC)",
        bench -> tooLong(bench, QpType.UC));
    row(
        "UD-LENGTH_MTU",
        "a datagram of the port's MTU is sent",
        bench -> {
          Bench.Pair pair = bench.pair(QpType.UD);
          int mtu = mtu(bench);
          bench.far().postReceives(pair.far(), 1, mtu + 40);
          Station near = bench.near();
          Expect.posts(
              pair.near(),
              addressed(bench, pair, near.send(1, WrOpcode.SEND).sge(near.region(), 0, mtu)));
          bench.completes(near, 1, WcStatus.SUCCESS);
          Expect.equal(
              "byte_len",
              mtu + 40,
              bench.completes(bench.far(), 100, WcStatus.SUCCESS).byteLength());
        });
    row(
        "UD-LENGTH_OVER",
        "a datagram of one byte more than the MTU: LOC_LEN_ERR, nothing is sent",
        bench -> {
          Bench.Pair pair = bench.pair(QpType.UD);
          bench.far().postReceives(pair.far(), 1, 8192);
          Station near = bench.near();
          fails(
              bench,
              pair,
              near.send(1, WrOpcode.SEND).sge(near.region(), 0, mtu(bench) + 1),
              WcStatus.LOC_LEN_ERR);
          bench.nothing(bench.far());
        });
  }

  private static int mtu(Bench bench) {
    return bench.near().context().queryPort(1).activeMtu().bytes();
  }

  private static void tooLong(Bench bench, QpType service) {
    Bench.Pair pair = bench.pair(service);
    MemoryRegion region = bench.near().region();
    fails(
        bench,
        pair,
        bench
            .near()
            .send(1, WrOpcode.SEND)
            .sge(region.address(), Integer.MIN_VALUE, region.lkey())
            .sge(region.address(), 1, region.lkey()),
        WcStatus.LOC_LEN_ERR);
  }

  /** Memory that cannot receive the data of a READ or an atomic. */
  private void destinations() {
    for (WrOpcode opcode :
        new WrOpcode[] {
          WrOpcode.RDMA_READ, WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.ATOMIC_FETCH_AND_ADD
        }) {
      row(
          "RC-LANDING-" + opcode,
          "the result of " + opcode + " may not be written without LOCAL_WRITE: LOC_PROT_ERR",
          bench -> {
            Bench.Pair pair = bench.pair(QpType.RC);
            MemoryRegion readOnly = bench.near().region(AccessFlags.REMOTE_READ);
            MemoryRegion there = bench.far().region();
            SendRequestList request = bench.near().send(1, opcode).sge(readOnly, 0, 8);
            if (opcode == WrOpcode.RDMA_READ) {
              request.remote(there.address(), there.rkey());
            } else {
              request.atomic(there.address(), there.rkey(), 1, 2);
            }
            fails(bench, pair, request, WcStatus.LOC_PROT_ERR);
          });
    }
    row(
        "RC-LOCAL_INV",
        "LOCAL_INV of a key that nobody has: LOC_QP_OP_ERR",
        bench -> {
          Bench.Pair pair = bench.pair(QpType.RC);
          fails(
              bench,
              pair,
              bench.near().send(1, WrOpcode.LOCAL_INV).invalidateRkey(Bench.noKey(bench.near())),
              WcStatus.LOC_QP_OP_ERR);
        });
  }

  private void binds() {
    bind(
        "NO_MW_BIND",
        "a region without MW_BIND",
        AccessFlags.LOCAL_WRITE,
        0,
        BYTES,
        AccessFlags.REMOTE_READ);
    bind(
        "NO_LOCAL_WRITE",
        "REMOTE_WRITE on a region without LOCAL_WRITE",
        AccessFlags.MW_BIND,
        0,
        BYTES,
        AccessFlags.REMOTE_WRITE);
    bind(
        "BEYOND",
        "a range that leaves the region",
        Station.ALL_RIGHTS,
        Station.BYTES - BYTES + 1,
        BYTES,
        AccessFlags.REMOTE_READ);
    bind(
        "WRAP",
        "a range that wraps around the address space",
        Station.ALL_RIGHTS,
        8,
        -1,
        AccessFlags.REMOTE_READ);
    bind(
        "LOCAL_RIGHT",
        "a right that is none of a window",
        Station.ALL_RIGHTS,
        0,
        BYTES,
        AccessFlags.LOCAL_WRITE);
    row(
        "RC-BIND-OTHER_PD",
        "binding a window to a region of another protection domain: MW_BIND_ERR",
        bench -> {
          Station near = bench.near();
          MemoryRegion other =
              near.context().allocPd().registerMemory(near.memory(BYTES), Station.ALL_RIGHTS);
          bindFails(bench, other, other.address(), BYTES, AccessFlags.REMOTE_READ);
        });
  }

  private void bind(
      String id, String what, int regionRights, long offset, long length, int rights) {
    row(
        "RC-BIND-" + id,
        "binding a window to " + what + ": MW_BIND_ERR",
        bench -> {
          MemoryRegion region = bench.near().region(regionRights);
          bindFails(bench, region, region.address() + offset, length, rights);
        });
  }

  private static void bindFails(
      Bench bench, MemoryRegion region, long address, long length, int rights) {
    Bench.Pair pair = bench.pair(QpType.RC);
    MemoryWindow window = bench.near().pd().allocMemoryWindow(MwType.TYPE_2);
    fails(
        bench,
        pair,
        bench
            .near()
            .send(1, WrOpcode.BIND_MW)
            .bindMw(window, window.rkey() + 1, region, address, length, rights),
        WcStatus.MW_BIND_ERR);
  }

  /** The peer does not answer, or has no receive posted. */
  private void silence() {
    row(
        "RC-NO_ANSWER",
        "no answer within all retries: RETRY_EXC_ERR, the rest is flushed",
        bench -> {
          QueuePair qp = bench.near(QpType.RC, QpState.RTS, bench.values().timeout(8).retryCnt(2));
          Station near = bench.near();
          for (int i = 1; i <= 3; i++) {
            Expect.posts(qp, near.send(i, WrOpcode.SEND).sge(near.region(), 0, BYTES));
          }
          bench.completes(near, 1, WcStatus.RETRY_EXC_ERR);
          bench.completes(near, 2, WcStatus.WR_FLUSH_ERR);
          bench.completes(near, 3, WcStatus.WR_FLUSH_ERR);
          bench.becomes(qp, QpState.ERR);
        });
    for (int i = 0; i < 7; i++) {
      int retries = i;
      row(
          "RC-RNR-" + retries,
          "no receive within rnr_retry " + retries + ": RNR_RETRY_EXC_ERR, the peer is unharmed",
          bench -> {
            Bench.Pair pair =
                bench.pair(
                    QpType.RC,
                    Bench.attributes().rnrRetry(retries),
                    Bench.attributes().minRnrTimer(1));
            Station near = bench.near();
            Expect.posts(pair.near(), near.send(1, WrOpcode.SEND).sge(near.region(), 0, BYTES));
            bench.completes(near, 1, WcStatus.RNR_RETRY_EXC_ERR);
            bench.becomes(pair.near(), QpState.ERR);
            Expect.equal("the peer's state", QpState.RTS, pair.far().state());
          });
    }
    row(
        "RC-RNR-ENDLESS",
        "rnr_retry 7 waits until a receive is posted, more than seven times",
        bench -> {
          Bench.Pair pair =
              bench.pair(
                  QpType.RC, Bench.attributes().rnrRetry(7), Bench.attributes().minRnrTimer(14));
          Station near = bench.near();
          Expect.posts(pair.near(), near.send(1, WrOpcode.SEND).sge(near.region(), 0, BYTES));
          bench.link().await(() -> near.counted("rcvd_rnr_err") > 9, Bench.SOON_NS);
          bench.nothing(near);
          bench.far().postReceives(pair.far(), 1, BYTES);
          bench.completes(near, 1, WcStatus.SUCCESS);
          bench.completes(bench.far(), 100, WcStatus.SUCCESS);
        });
  }
}
