package org.roce4j.spec.error;

import static org.roce4j.verbs.QpState.ERR;
import static org.roce4j.verbs.QpState.RTS;
import static org.roce4j.verbs.QpState.SQE;

import org.roce4j.spec.bench.Bench;
import org.roce4j.spec.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** What the requester finds by itself, before a packet leaves: every service. */
final class LocalCases extends Cases {
  private static final String SOURCE = "rc-transport 5";

  private final Chapter chapter;
  private final QpType service;

  /**
   * @param service of the chapter
   */
  LocalCases(Chapter chapter, QpType service) {
    this.chapter = chapter;
    this.service = service;
  }

  @Override
  void collect() {
    failing(
        "LKEY",
        "The source's lkey is unknown, of another protection domain, or its region is gone",
        WcStatus.LOC_PROT_ERR,
        Cases::badSend);
    failing(
        "SGE_RANGE",
        "The source leaves its region, or wraps around the address space",
        WcStatus.LOC_PROT_ERR,
        bench -> {
          MemoryRegion region = bench.near().region();
          return bench
              .near()
              .send(1, WrOpcode.SEND)
              .sge(region.address() + Station.BYTES - BYTES + 1, BYTES, region.lkey());
        });
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
    for (WrOpcode opcode : new WrOpcode[] {WrOpcode.RDMA_READ, WrOpcode.ATOMIC_FETCH_AND_ADD}) {
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
        "LOCAL_INV of a key that cannot be invalidated here",
        WcStatus.LOC_QP_OP_ERR,
        bench ->
            bench.near().send(1, WrOpcode.LOCAL_INV).invalidateRkey(Bench.noKey(bench.near())));
    failing(
        "BIND",
        "BIND_MW to a region without MW_BIND, beyond its range, or of another protection domain",
        WcStatus.MW_BIND_ERR,
        bench -> {
          MemoryRegion region = bench.near().region(AccessFlags.LOCAL_WRITE);
          MemoryWindow window = bench.near().pd().allocMemoryWindow(MwType.TYPE_2);
          return bench
              .near()
              .send(1, WrOpcode.BIND_MW)
              .bindMw(
                  window,
                  MemoryWindow.incrementRkey(window.rkey()),
                  region,
                  region.address(),
                  BYTES,
                  AccessFlags.REMOTE_READ);
        });
  }

  /** A request of a bench. */
  private interface Request {
    SendRequestList of(Bench bench);
  }

  private void failing(String id, String cause, WcStatus status, Request request) {
    add(
        ErrorCase.of(
                chapter,
                service + "-" + id,
                SOURCE,
                cause,
                bench -> post(bench, pair(bench, service), request.of(bench)))
            .requester(status, service == QpType.RC ? ERR : SQE)
            .responder(null, RTS)
            .requesterCounts("req_cqe_error"));
  }
}
