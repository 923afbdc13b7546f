package org.roce4j.tools.cm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.RdmaVerbs;

/** One message each way and its memory; a receive is posted at once. */
final class SixteenBytes implements AutoCloseable {
  static final int SIZE = 16;

  private final CmId id;
  private final ConnectionWait wait;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment received = arena.allocate(SIZE);
  private final MemorySegment sent = arena.allocate(SIZE);
  private final MemoryRegion receivedMr;
  private final MemoryRegion sentMr;
  private final WorkCompletions completion = new WorkCompletions(arena, 1);

  /** The capabilities that the C programs request. */
  static QpInitAttr queuePair() {
    return new QpInitAttr().cap(new QpCapabilities(1, 1, 1, 1)).sqSigAll(true);
  }

  SixteenBytes(CmId id, ConnectionWait wait) {
    this.id = id;
    this.wait = wait;
    receivedMr = RdmaVerbs.regMsgs(id, received);
    sentMr = RdmaVerbs.regMsgs(id, sent);
    RdmaVerbs.postRecv(id, 0, received, receivedMr);
  }

  void send() {
    RdmaVerbs.postSend(id, 0, sent, sentMr, 0);
    awaitSend(id, wait, completion);
  }

  void receive() {
    awaitReceive(id, wait, completion);
  }

  static void awaitSend(CmId id, ConnectionWait wait, WorkCompletions completion) {
    wait.awaitSends(id.sendCq(), completion, () -> "the send of " + id + " is not confirmed");
    demandSuccess(wait, completion, "send");
  }

  static void awaitReceive(CmId id, ConnectionWait wait, WorkCompletions completion) {
    wait.awaitReceives(
        id.recvCq(), id.qp(), Integer.MAX_VALUE, completion, () -> "no message of " + id);
    demandSuccess(wait, completion, "receive");
  }

  private static void demandSuccess(ConnectionWait wait, WorkCompletions completion, String what) {
    if (completion.status(0) != WcStatus.SUCCESS) {
      throw ToolFailure.atRunTime(
          wait.over() == null
              ? "the " + what + " failed: " + completion.toString(0)
              : wait.over() + " before the " + what + " was done");
    }
  }

  @Override
  public void close() {
    id.destroyQp();
    receivedMr.close();
    sentMr.close();
    arena.close();
  }
}
