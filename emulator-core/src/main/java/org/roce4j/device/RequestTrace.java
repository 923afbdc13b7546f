package org.roce4j.device;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.engine.trace.RequestNote;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.layout.SgeLayout;
import org.roce4j.verbs.layout.WcLayout;

/**
 * Informs an observer of posted requests and polled completions, each with the time at which it was
 * posted or polled.
 */
final class RequestTrace {
  private final EngineTrace trace;
  private final long sinceEpochNs;
  private final List<RequestNote> built = new ArrayList<>(0);

  private RequestTrace(Engine engine) {
    Progress clock = engine.drive();
    trace = engine.trace();
    sinceEpochNs = clock.sinceEpochNs(clock.nowNs());
  }

  /** A trace of the engine's requests; null if the engine's observer does not want them. */
  static RequestTrace of(Engine engine) {
    return engine.trace().wantsRequests() ? new RequestTrace(engine) : null;
  }

  /** The requests of a list that were posted. */
  void sends(int qpNum, MemorySegment view, long firstWr, long result) {
    int end = PostResult.errno(result) == 0 ? Integer.MAX_VALUE : PostResult.badIndex(result);
    long wr = firstWr;
    for (int i = 0; i < end && wr != 0; i++) {
      long at = wr - view.address();
      long list = SendWrLayout.sgList(view, at) - view.address();
      int count = SendWrLayout.numSge(view, at);
      WrOpcode opcode = WrOpcode.of(SendWrLayout.opcode(view, at));
      posted(qpNum, SendWrLayout.wrId(view, at), opcode.name(), bytes(view, list, count));
      wr = SendWrLayout.next(view, at);
    }
  }

  /** The requests of a list that were posted. */
  void receives(int qpNum, MemorySegment view, long firstWr, long result) {
    int end = PostResult.errno(result) == 0 ? Integer.MAX_VALUE : PostResult.badIndex(result);
    long wr = firstWr;
    for (int i = 0; i < end && wr != 0; i++) {
      long at = wr - view.address();
      long list = RecvWrLayout.sgList(view, at) - view.address();
      int count = RecvWrLayout.numSge(view, at);
      posted(qpNum, RecvWrLayout.wrId(view, at), "RECV", bytes(view, list, count));
      wr = RecvWrLayout.next(view, at);
    }
  }

  private static long bytes(MemorySegment view, long list, int count) {
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      bytes += Integer.toUnsignedLong(SgeLayout.length(view, list + (long) i * SgeLayout.SIZE));
    }
    return bytes;
  }

  /** A request of a batch that is not posted yet. */
  void built(int qpNum, long wrId, String operation, long bytes) {
    built.add(new RequestNote(qpNum, wrId, operation, "", bytes, sinceEpochNs));
  }

  /** The batch is posted. */
  void postedBuilt() {
    built.forEach(trace::posted);
  }

  private void posted(int qpNum, long wrId, String operation, long bytes) {
    trace.posted(new RequestNote(qpNum, wrId, operation, "", bytes, sinceEpochNs));
  }

  /** The completions that a program has polled. */
  void polled(MemorySegment memory, long at, int count) {
    for (int i = 0; i < count; i++) {
      long wc = at + (long) i * WcLayout.SIZE;
      WcStatus status = WcStatus.of(WcLayout.status(memory, wc));
      boolean success = status == WcStatus.SUCCESS;
      WcOpcode opcode = success ? WcOpcode.of(WcLayout.opcode(memory, wc)) : null;
      trace.polled(
          new RequestNote(
              WcLayout.qpNum(memory, wc),
              WcLayout.wrId(memory, wc),
              opcode == null ? "" : opcode.name(),
              String.valueOf(status),
              success ? Integer.toUnsignedLong(WcLayout.byteLen(memory, wc)) : 0,
              sinceEpochNs));
    }
  }
}
