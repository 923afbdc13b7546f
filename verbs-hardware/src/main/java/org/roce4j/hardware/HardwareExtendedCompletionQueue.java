package org.roce4j.hardware;

import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.roce4j.hardware.bindings.CompletionReader;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.ThreadTurn;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.WcOpcode;

/** {@code struct ibv_cq_ex}, whose functions read a completion field by field. */
final class HardwareExtendedCompletionQueue extends HardwareCompletionQueue
    implements ExtendedCompletionQueue {
  private final CompletionReader reader;
  private final int wcFlags;

  /**
   * Whether the next completion is taken by an end and another start. In librxe of rdma-core 44
   * {@code next_poll} and {@code end_poll} both pass by the last one, and old ones come again.
   */
  private final boolean singly;

  /** Between {@link #startPoll} and {@link #endPoll}. */
  private final ThreadTurn turn = new ThreadTurn();

  /** Whether the driver has a current completion. */
  private boolean standing;

  /**
   * @param singly see the field
   */
  HardwareExtendedCompletionQueue(
      HardwareContext context,
      long address,
      CqInitAttr attr,
      HardwareCompletionChannel channel,
      boolean singly) {
    super(context, address, attr.userContext(), channel);
    reader = new CompletionReader(address);
    wcFlags = attr.wcFlags();
    this.singly = singly;
  }

  @Override
  public int startPoll() {
    if (turn.isMine() || !gate.enter()) {
      return Errno.EINVAL.number();
    }
    int errno = Errno.EIO.number();
    try {
      turn.take();
      errno = reader.start();
    } finally {
      standing = errno == 0;
      if (!standing) {
        turn.end();
      }
      gate.leave();
    }
    return errno;
  }

  @Override
  public int nextPoll() {
    if (!turn.isMine() || !gate.enter()) {
      return Errno.EINVAL.number();
    }
    try {
      if (singly && !standing) {
        return Errno.ENOENT.number();
      }
      int errno = singly ? again() : reader.next();
      standing = errno == 0;
      return errno;
    } finally {
      gate.leave();
    }
  }

  private int again() {
    reader.end();
    return reader.start();
  }

  @Override
  public void endPoll() {
    if (!turn.isMine()) {
      throw Errno.EINVAL.refusal("this thread polls nothing: startPoll comes first");
    }
    boolean ended = singly && !standing; // by the start that found none
    standing = false;
    if (!ended && gate.enter()) {
      reader.end();
      gate.leave();
    }
    turn.end();
  }

  /** Reads a field of the completion that is read now. */
  private int read(ToIntFunction<CompletionReader> field) {
    enter();
    try {
      requireStanding();
      return field.applyAsInt(reader);
    } finally {
      gate.leave();
    }
  }

  private long readLong(ToLongFunction<CompletionReader> field) {
    enter();
    try {
      requireStanding();
      return field.applyAsLong(reader);
    } finally {
      gate.leave();
    }
  }

  private void requireStanding() {
    if (!turn.isMine() || !standing) {
      throw Errno.EINVAL.refusal(
          "no completion is being read: startPoll or nextPoll answers 0 before");
    }
  }

  /** The driver has functions only for the fields with which the queue was created. */
  private void require(int flag) {
    requireNotDestroyed();
    if ((wcFlags & flag) == 0) {
      throw ExtendedCompletionQueue.untold(flag);
    }
  }

  @Override
  public long wrId() {
    return readLong(CompletionReader::wrId);
  }

  @Override
  public int statusValue() {
    return read(CompletionReader::status);
  }

  @Override
  public WcOpcode readOpcode() {
    return WcOpcode.of(read(CompletionReader::opcode));
  }

  @Override
  public int readVendorErr() {
    return read(CompletionReader::vendorErr);
  }

  @Override
  public int readWcFlags() {
    return read(CompletionReader::wcFlags);
  }

  /** {@code struct ibv_cq_ex} has no function for it. */
  @Override
  public int readPkeyIndex() {
    requireNotDestroyed();
    throw Errno.EOPNOTSUPP.refusal(
        "libibverbs provides no P_Key index here: poll plain completions for it");
  }

  @Override
  public int readByteLength() {
    require(WcExFlags.WITH_BYTE_LEN);
    return read(CompletionReader::byteLength);
  }

  @Override
  public int readImmediate() {
    require(WcExFlags.WITH_IMM);
    return read(CompletionReader::immediate);
  }

  @Override
  public int readInvalidatedRkey() {
    require(WcExFlags.WITH_IMM);
    return read(CompletionReader::invalidatedRkey);
  }

  @Override
  public int readQpNum() {
    require(WcExFlags.WITH_QP_NUM);
    return read(CompletionReader::qpNum);
  }

  @Override
  public int readSourceQp() {
    require(WcExFlags.WITH_SRC_QP);
    return read(CompletionReader::sourceQp);
  }

  @Override
  public int readSlid() {
    require(WcExFlags.WITH_SLID);
    return read(CompletionReader::slid);
  }

  @Override
  public int readServiceLevel() {
    require(WcExFlags.WITH_SL);
    return read(CompletionReader::serviceLevel);
  }

  @Override
  public int readDlidPathBits() {
    require(WcExFlags.WITH_DLID_PATH_BITS);
    return read(CompletionReader::dlidPathBits);
  }

  @Override
  public long readCompletionTimestamp() {
    require(WcExFlags.WITH_COMPLETION_TIMESTAMP);
    return readLong(CompletionReader::completionTimestamp);
  }

  @Override
  public long readCompletionWallclockNs() {
    require(WcExFlags.WITH_COMPLETION_TIMESTAMP_WALLCLOCK);
    return readLong(CompletionReader::completionWallclockNs);
  }

  @Override
  public int readCvlan() {
    require(WcExFlags.WITH_CVLAN);
    return read(CompletionReader::cvlan);
  }

  @Override
  public int readFlowTag() {
    require(WcExFlags.WITH_FLOW_TAG);
    return read(CompletionReader::flowTag);
  }

  @Override
  public long readTagMatchingInfo() {
    require(WcExFlags.WITH_TM_INFO);
    return readLong(CompletionReader::tag);
  }
}
