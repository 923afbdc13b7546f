package org.roce4j.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.roce4j.engine.Engine;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.verbs.CqCreateFlags;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.ThreadTurn;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.layout.WcLayout;

/** A completion queue whose completions are read one by one, field by field. */
final class EmulatedExtendedCompletionQueue extends EmulatedCompletionQueue
    implements ExtendedCompletionQueue {
  private static final int TIMES =
      WcExFlags.WITH_COMPLETION_TIMESTAMP | WcExFlags.WITH_COMPLETION_TIMESTAMP_WALLCLOCK;

  /** The fields that this device reports of a completion. */
  private static final int TOLD = WcExFlags.STANDARD | TIMES;

  private static final int FLAGS = CqCreateFlags.SINGLE_THREADED | CqCreateFlags.IGNORE_OVERRUN;

  private final int wcFlags;

  /** Whether the caller is between {@link #startPoll} and {@link #endPoll}. */
  private final ThreadTurn turn = new ThreadTurn();

  /** A copy of the current completion, so that no producer waits for the reader, its only user. */
  private final MemorySegment completion =
      MemorySegment.ofArray(new long[CompletionRing.TAKEN_BYTES / Long.BYTES]);

  /** Whether {@link #completion} holds a completion. */
  private boolean standing;

  EmulatedExtendedCompletionQueue(ContextObjects objects, CqInitAttr attr, Engine engine) {
    super(
        objects,
        attr,
        engine,
        new CompletionRing.Kind(
            (attr.wcFlags() & TIMES) != 0, (attr.flags() & CqCreateFlags.IGNORE_OVERRUN) != 0));
    wcFlags = attr.wcFlags();
  }

  /** Refuses attributes that no extended queue of this device supports. */
  static void check(CqInitAttr attr) {
    if ((attr.flags() & ~FLAGS) != 0) {
      throw new VerbsException(
          Errno.EINVAL, "unknown flags: " + CqCreateFlags.toString(attr.flags() & ~FLAGS));
    }
    int untold = attr.wcFlags() & ~TOLD;
    if (untold != 0) {
      throw new VerbsException(
          Errno.EOPNOTSUPP,
          "completions of this device have no " + WcExFlags.toString(untold).replace("WITH_", ""));
    }
  }

  @Override
  public int startPoll() {
    if (!turn.take()) {
      return Errno.EINVAL.number();
    }
    try {
      standing = ring().take(completion);
      if (!standing && !isClosed()) {
        progress().advance();
        standing = ring().take(completion);
      }
    } finally {
      if (!standing) {
        turn.end();
      }
    }
    tell();
    return standing ? 0 : whyNone().number();
  }

  private Errno whyNone() {
    return isClosed() ? Errno.EINVAL : ring().overflowed() ? Errno.EIO : Errno.ENOENT;
  }

  @Override
  public int nextPoll() {
    if (!turn.isMine() || isClosed()) {
      return Errno.EINVAL.number();
    }
    standing = ring().take(completion);
    tell();
    return standing ? 0 : Errno.ENOENT.number();
  }

  private void tell() {
    RequestTrace observed = standing ? RequestTrace.of(engine()) : null;
    if (observed != null) {
      observed.polled(completion, 0, 1);
    }
  }

  @Override
  public void endPoll() {
    if (!turn.isMine()) {
      throw Errno.EINVAL.refusal("this thread polls nothing: startPoll comes first");
    }
    turn.end();
  }

  /** The completion that is being read. */
  private MemorySegment completion() {
    requireNotDestroyed();
    if (!turn.isMine() || !standing) {
      throw Errno.EINVAL.refusal(
          "no completion is being read: startPoll or nextPoll answers 0 before");
    }
    return completion;
  }

  /** The completion that is being read, if the queue was made with the field. */
  private MemorySegment completion(int flag) {
    if ((wcFlags & flag) == 0) {
      throw ExtendedCompletionQueue.untold(flag);
    }
    return completion();
  }

  @Override
  public long wrId() {
    return WcLayout.wrId(completion(), 0);
  }

  @Override
  public int statusValue() {
    return WcLayout.status(completion(), 0);
  }

  @Override
  public WcOpcode readOpcode() {
    return WcOpcode.of(WcLayout.opcode(completion(), 0));
  }

  @Override
  public int readVendorErr() {
    return WcLayout.vendorErr(completion(), 0);
  }

  @Override
  public int readWcFlags() {
    return WcLayout.wcFlags(completion(), 0);
  }

  @Override
  public int readPkeyIndex() {
    return WcLayout.pkeyIndex(completion(), 0);
  }

  @Override
  public int readByteLength() {
    return WcLayout.byteLen(completion(WcExFlags.WITH_BYTE_LEN), 0);
  }

  @Override
  public int readImmediate() {
    return WcLayout.immData(completion(WcExFlags.WITH_IMM), 0);
  }

  @Override
  public int readInvalidatedRkey() {
    return WcLayout.invalidatedRkey(completion(WcExFlags.WITH_IMM), 0);
  }

  @Override
  public int readQpNum() {
    return WcLayout.qpNum(completion(WcExFlags.WITH_QP_NUM), 0);
  }

  @Override
  public int readSourceQp() {
    return WcLayout.srcQp(completion(WcExFlags.WITH_SRC_QP), 0);
  }

  @Override
  public int readSlid() {
    return WcLayout.slid(completion(WcExFlags.WITH_SLID), 0);
  }

  @Override
  public int readServiceLevel() {
    return WcLayout.sl(completion(WcExFlags.WITH_SL), 0);
  }

  @Override
  public int readDlidPathBits() {
    return WcLayout.dlidPathBits(completion(WcExFlags.WITH_DLID_PATH_BITS), 0);
  }

  @Override
  public long readCompletionTimestamp() {
    return completion(WcExFlags.WITH_COMPLETION_TIMESTAMP).get(JAVA_LONG, CompletionRing.STAMP);
  }

  @Override
  public long readCompletionWallclockNs() {
    MemorySegment taken = completion(WcExFlags.WITH_COMPLETION_TIMESTAMP_WALLCLOCK);
    return progress().sinceEpochNs(taken.get(JAVA_LONG, CompletionRing.STAMP));
  }
}
