package org.roce4j.conformance.error;

import static org.roce4j.verbs.QpState.ERR;
import static org.roce4j.verbs.QpState.RTS;
import static org.roce4j.verbs.QpState.SQE;

import java.util.List;
import java.util.function.Function;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Errors that the requester finds before a packet leaves, for every service. */
final class LocalCases extends Cases {
  private static final String SOURCE = "rc-transport 5";

  private final Chapter chapter;
  private final QpType service;

  /**
   * @param service service of the chapter's queue pairs
   */
  LocalCases(Chapter chapter, QpType service) {
    this.chapter = chapter;
    this.service = service;
  }

  @Override
  void collect() {
    unreadable("LKEY", "The source has", WrongMemory.KEYS);
    unreadable("SGE_RANGE", "The source has", WrongMemory.RANGES);
    if (service == QpType.UD) {
      failing(
          "LENGTH",
          "The message is longer than the port's MTU (R6); nothing is sent",
          WcStatus.LOC_LEN_ERR,
          bench -> send(bench, bench.near().context().queryPort(1).activeMtu().bytes() + 1));
    } else {
      failing(
          "LENGTH",
          "The message is longer than 2^31 bytes; nothing is sent",
          WcStatus.LOC_LEN_ERR,
          bench -> {
            MemoryRegion region = bench.near().region();
            return bench
                .near()
                .send(1, WrOpcode.SEND)
                .sge(region.address(), Integer.MIN_VALUE, region.lkey())
                .sge(region.address(), 1, region.lkey());
          });
    }
    if (service == QpType.RC) {
      reliable();
    }
  }

  private void reliable() {
    for (WrOpcode opcode :
        new WrOpcode[] {
          WrOpcode.RDMA_READ, WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.ATOMIC_FETCH_AND_ADD
        }) {
      failing(
          "LANDING_" + opcode,
          "The result of " + opcode + " may not be written: the region lacks LOCAL_WRITE",
          WcStatus.LOC_PROT_ERR,
          bench -> {
            MemoryRegion readOnly = bench.near().region(AccessFlags.REMOTE_READ);
            MemoryRegion there = bench.far().region();
            SendRequestList request = bench.near().send(1, opcode).sge(readOnly, 0, 8);
            return opcode == WrOpcode.RDMA_READ
                ? request.remote(there.address(), there.rkey())
                : request.atomic(there.address(), there.rkey(), 1, 2);
          });
    }
    failing(
        "LOCAL_INV",
        "LOCAL_INV of what it cannot invalidate",
        WcStatus.LOC_QP_OP_ERR,
        StubbornKey.ways(
            (bench, key) -> {
              Bench.Pair pair = pair(bench, service);
              Station near = bench.near();
              return post(
                  bench, pair, near.send(1, WrOpcode.LOCAL_INV).invalidateRkey(key.at(near)));
            }));
    failing(
        "BIND",
        "BIND_MW to",
        WcStatus.MW_BIND_ERR,
        List.of(
            bind(
                "NO_MW_BIND",
                "a region without MW_BIND",
                near -> near.region(AccessFlags.LOCAL_WRITE),
                0),
            bind(
                "READ_ONLY",
                "REMOTE_WRITE to a region without LOCAL_WRITE",
                near -> near.region(AccessFlags.MW_BIND),
                0),
            bind(
                "BEYOND",
                "a range that ends beyond the region",
                Station::region,
                Station.BYTES - 8),
            bind(
                "OTHER_PD",
                "a region of another protection domain",
                near ->
                    near.context()
                        .allocPd()
                        .registerMemory(near.memory(Station.BYTES), Station.ALL_RIGHTS),
                0)));
  }

  private static ErrorCase.Way bind(
      String id, String words, Function<Station, MemoryRegion> to, long offset) {
    return new ErrorCase.Way(
        id,
        words,
        bench -> {
          Bench.Pair pair = pair(bench, QpType.RC);
          MemoryRegion region = to.apply(bench.near());
          MemoryWindow window = bench.near().pd().allocMemoryWindow(MwType.TYPE_2);
          return post(
              bench,
              pair,
              bench
                  .near()
                  .send(1, WrOpcode.BIND_MW)
                  .bindMw(
                      window,
                      MemoryWindow.incrementRkey(window.rkey()),
                      region,
                      region.address() + offset,
                      BYTES,
                      AccessFlags.REMOTE_WRITE));
        });
  }

  /** Creates a request on a bench. */
  private interface Request {
    SendRequestList of(Bench bench);
  }

  private void failing(String id, String cause, WcStatus status, Request request) {
    failing(
        id,
        cause,
        status,
        List.of(
            new ErrorCase.Way(
                "", "", bench -> post(bench, pair(bench, service), request.of(bench)))));
  }

  private void unreadable(String id, String cause, List<WrongMemory> sources) {
    failing(
        id,
        cause,
        WcStatus.LOC_PROT_ERR,
        WrongMemory.ways(
            sources, (bench, wrong) -> post(bench, pair(bench, service), send(bench, wrong))));
  }

  private void failing(String id, String cause, WcStatus status, List<ErrorCase.Way> ways) {
    add(
        ErrorCase.of(chapter, service + "-" + id, SOURCE, cause, ways)
            .requester(status, service == QpType.RC ? ERR : SQE)
            .responder(null, RTS)
            .requesterCounts("req_cqe_error"));
  }
}
