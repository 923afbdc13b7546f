package org.roce4j.conformance.error;

import static org.roce4j.verbs.QpState.ERR;

import java.util.List;
import java.util.function.Function;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.RowSkipped;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.DeviceCapFlags;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkRequestBuilder;

/** FLUSH requests that the responder refuses; a builder posts them. */
final class FlushCases extends Cases {
  private static final String SOURCE = "rc-transport 6.6";
  private static final int GLOBAL = 1;
  private static final int PERSISTENT = 2;
  private static final int RIGHTS =
      AccessFlags.LOCAL_WRITE | AccessFlags.FLUSH_GLOBAL | AccessFlags.FLUSH_PERSISTENT;

  /** The range and placement of a FLUSH. */
  private record Flush(int rkey, long address, int placement) {
    static Flush of(MemoryRegion region, long offset, int placement) {
      return new Flush(region.rkey(), region.address() + offset, placement);
    }
  }

  @Override
  void collect() {
    refused(
        "RKEY",
        "FLUSH with",
        WrongMemory.ways(
            WrongMemory.KEYS,
            (bench, wrong) -> {
              int rkey = wrong.at(bench.far(), BYTES).rkey();
              return post(bench, RIGHTS, far -> new Flush(rkey, far.address(), GLOBAL));
            }));
    refused(
        "RANGE",
        "FLUSH of",
        List.of(
            range("BEYOND", "a range that ends beyond the region", 8),
            range("BEFORE", "a range that begins before the region", -8)));
    refused(
        "REGION_RIGHT",
        "FLUSH: the region lacks the right to",
        List.of(
            region("GLOBAL", "global visibility", AccessFlags.FLUSH_PERSISTENT, GLOBAL),
            region("PERSISTENT", "persistence", AccessFlags.FLUSH_GLOBAL, PERSISTENT)));
    refused(
        "QP_RIGHT",
        "FLUSH: the responder's queue pair lacks the right to",
        List.of(
            queuePair("GLOBAL", "global visibility", AccessFlags.FLUSH_PERSISTENT, GLOBAL),
            queuePair("PERSISTENT", "persistence", AccessFlags.FLUSH_GLOBAL, PERSISTENT)));
  }

  private void refused(String id, String cause, List<ErrorCase.Way> ways) {
    add(
        ErrorCase.of(Chapter.RC, "RC-FLUSH-" + id, SOURCE, cause, ways)
            .requester(WcStatus.REM_ACCESS_ERR, ERR)
            .responder(WcStatus.WR_FLUSH_ERR, ERR)
            .responderEvent(EventType.QP_ACCESS_ERR)
            .requesterCounts("req_cqe_error", "req_remote_access_errors")
            .responderCounts("resp_remote_access_errors"));
  }

  private static ErrorCase.Way range(String id, String words, long offset) {
    return new ErrorCase.Way(
        id,
        words,
        bench ->
            post(
                bench,
                RIGHTS,
                far -> Flush.of(far, offset < 0 ? offset : far.length() - offset, GLOBAL)));
  }

  private static ErrorCase.Way region(String id, String words, int rights, int placement) {
    return new ErrorCase.Way(
        id,
        words,
        bench ->
            post(
                bench,
                RIGHTS,
                unused ->
                    Flush.of(bench.far().region(AccessFlags.LOCAL_WRITE | rights), 0, placement)));
  }

  private static ErrorCase.Way queuePair(String id, String words, int rights, int placement) {
    return new ErrorCase.Way(
        id, words, bench -> post(bench, rights, far -> Flush.of(far, 0, placement)));
  }

  /**
   * Posts a FLUSH of a region that has every right.
   *
   * @param rights rights of the responder's queue pair
   * @param flush the FLUSH of that region
   */
  private static ErrorCase.Scene post(
      Bench bench, int rights, Function<MemoryRegion, Flush> flush) {
    bench.needOfBoth(DeviceCapFlags.FLUSH_GLOBAL);
    Bench.Pair pair =
        new Bench.Pair(builds(bench, bench.near().qpInit(QpType.RC)), bench.far().qp(QpType.RC));
    bench.connect(
        pair.near(), pair.far(), Bench.attributes(), Bench.attributes().qpAccessFlags(rights));
    bench.far().postReceives(pair.far(), 1, BYTES);
    Flush asked = flush.apply(bench.far().region(RIGHTS));
    WorkRequestBuilder builder = pair.near().builder();
    builder.start();
    builder
        .wrId(1)
        .flags(SendFlags.SIGNALED)
        .flush(asked.rkey(), asked.address(), BYTES, asked.placement(), 0);
    Expect.posted(null, builder.complete());
    return new ErrorCase.Scene(pair.near(), pair.far());
  }

  private static QueuePair builds(Bench bench, QpInitAttr attr) {
    try {
      return bench.near().pd().createQp(attr.sendOps(SendOpsFlags.WITH_FLUSH));
    } catch (VerbsException e) {
      if (e.errno() == Errno.EOPNOTSUPP) {
        throw new RowSkipped("the device builds no such requests: " + e.remedy());
      }
      throw e;
    }
  }
}
