package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * The receiving side of a queue pair: determines the message that each receive request must take.
 */
abstract class Receiver {
  final String name;
  private final BooleanSupplier inError;
  private final ReceivePool receives;
  private boolean flushed;

  /**
   * @param inError whether the queue pair may flush requests now
   */
  Receiver(String name, BooleanSupplier inError, ReceivePool receives) {
    this.name = name;
    this.inError = inError;
    this.receives = receives;
  }

  final boolean shared() {
    return receives.shared();
  }

  final void start() {
    receives.replenish();
  }

  final void completed(WorkCompletions wcs, int index) {
    PostedReceive receive = receives.completed(name, wcs.wrId(index));
    if (wcs.status(index) != WcStatus.SUCCESS) {
      failed(receive, wcs, index);
      return;
    }
    require(
        !flushed,
        OracleRule.FLUSHED_IN_ORDER,
        "%s: a message was received after the flush: %s",
        name,
        wcs.toString(index));
    PostedSend message = identify(receive, wcs, index);
    String why = name + " received " + message + " into " + receive;
    Pieces.forEach(receive.pieces, content(message), (e, b) -> e.memory.landed(e, b, why));
    reuse(receive);
  }

  /** The message that completed a receive request; marks it as received. */
  abstract PostedSend identify(PostedReceive receive, WorkCompletions wcs, int index);

  /** The expected content of the receive request that took the message. */
  MemorySegment content(PostedSend message) {
    return message.opcode == WrOpcode.RDMA_WRITE_WITH_IMM ? RandomPayload.NOTHING : message.payload;
  }

  /** Whether a completion is that of the message, apart from its bytes. */
  static boolean looksLike(PostedSend message, WorkCompletions wcs, int index) {
    boolean write = message.opcode == WrOpcode.RDMA_WRITE_WITH_IMM;
    boolean immediate = write || message.opcode == WrOpcode.SEND_WITH_IMM;
    boolean invalidate = message.opcode == WrOpcode.SEND_WITH_INV;
    int flags = immediate ? WcFlags.WITH_IMM : invalidate ? WcFlags.WITH_INV : 0;
    return wcs.opcode(index) == (write ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV)
        && (wcs.flags(index) & ~WcFlags.GRH) == flags
        && (!immediate || wcs.immediate(index) == message.immediate)
        && (!invalidate || wcs.invalidatedRkey(index) == message.immediate);
  }

  /** Judges a receive request that completed in error. */
  void failed(PostedReceive receive, WorkCompletions wcs, int index) {
    require(
        wcs.status(index) == WcStatus.WR_FLUSH_ERR && inError.getAsBoolean(),
        OracleRule.RIGHT_STATUS,
        "%s: %s completed with %s",
        name,
        receive,
        wcs.toString(index));
    String why = name + ": flushed " + receive;
    require(
        !shared() || !flushed,
        OracleRule.FLUSHED_IN_ORDER,
        "%s, of a shared queue that it held only one request of",
        why);
    boolean first = !flushed;
    flushed = true;
    close();
    if (first) {
      firstFlushed(receive, why);
    } else {
      neverTaken(receive, why);
    }
    if (shared()) {
      reuse(receive);
    }
  }

  /** Handles the first flushed request, which may hold a part of a message. */
  void firstFlushed(PostedReceive receive, String why) {
    forget(receive);
  }

  /** Requires that no message was ever written into a receive request. */
  static void neverTaken(PostedReceive receive, String why) {
    Pieces.forEach(receive.pieces, RandomPayload.NOTHING, (e, b) -> e.memory.settleTorn(e, b, why));
  }

  /** Takes the present content of a receive request as the expected one. */
  static void forget(PostedReceive receive) {
    receive.pieces.forEach(piece -> piece.memory.forget(piece));
  }

  /** Releases the memory of a receive request for another one. */
  final void reuse(PostedReceive receive) {
    receives.free(receive);
    receives.replenish();
  }

  /** Whether a request of its own receive queue has not completed. */
  final boolean awaits(long wrId) {
    return !shared() && receives.has(wrId);
  }

  /** Stops posting requests to its own receive queue. */
  final void close() {
    if (!shared()) {
      receives.close();
    }
  }

  /** The run is over: stops posting, also to a shared queue. */
  final void stopPosting() {
    receives.close();
  }

  /** No more completions come: the posted requests may contain messages that were sent. */
  final void abandon() {
    if (!shared()) {
      receives.abandon().forEach(this::abandoned);
    }
  }

  /** Handles a receive request that never completed. */
  void abandoned(PostedReceive receive) {
    forget(receive);
  }

  final void checkFlushed() {
    require(
        shared() || receives.posted() == 0,
        OracleRule.FLUSHED_IN_ORDER,
        "%s: %d receive requests never completed",
        name,
        receives.posted());
  }

  /** Checks the received messages after the last packet. */
  void checkAtEnd() {}

  @Override
  public final String toString() {
    return receives.posted() + " receive requests posted";
  }
}
