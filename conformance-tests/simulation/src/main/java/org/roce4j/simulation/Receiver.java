package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** The receiving side of one end of a connection: which message each receive request must take. */
final class Receiver {
  private final Endpoint end;
  private final ReceivePool receives;

  /** Of an unreliable connection: what must be received; else null. */
  private final Arrivals arrivals;

  private boolean flushed;

  Receiver(Endpoint end, ReceivePool receives) {
    this.end = end;
    this.receives = receives;
    arrivals = end.reliable() ? null : new Arrivals(end.run, receives);
  }

  Arrivals arrivals() {
    return arrivals;
  }

  void completed(WorkCompletions wcs, int index) {
    PostedReceive receive = receives.completed(end.name, wcs.wrId(index));
    if (receives.shared() && !end.reliable() && wcs.status(index) == WcStatus.REM_INV_REQ_ERR) {
      tornInSharedRequest(receive);
      return;
    }
    if (wcs.status(index) != WcStatus.SUCCESS) {
      require(
          wcs.status(index) == WcStatus.WR_FLUSH_ERR
              && (end.wasCut() || Participant.stateOf(end.qp()) == QpState.ERR),
          Rule.RIGHT_STATUS,
          "%s in %s: %s completed with %s",
          end.name,
          Participant.stateOf(end.qp()),
          receive,
          wcs.toString(index));
      flushed(receive);
      return;
    }
    require(
        !flushed,
        Rule.FLUSHED_IN_ORDER,
        "%s: a message was received after the flush: %s",
        end.name,
        wcs.toString(index));
    PostedSend message =
        end.reliable() ? nextMessage(wcs, index) : arrivedMessage(receive, wcs, index);
    boolean write = message.opcode == WrOpcode.RDMA_WRITE_WITH_IMM;
    String why = end.name + " received " + message + " into " + receive;
    Pieces.forEach(
        receive.pieces,
        write ? Pattern.NOTHING : message.payload,
        (e, b) -> e.memory.landed(e, b, why));
    message.received = true;
    if (message.opcode == WrOpcode.SEND_WITH_INV) {
      end.window.state = WindowModel.State.FREE;
    }
    receives.free(receive);
    receives.replenish();
  }

  /** A message was torn: what it took of a shared queue is given back, in error. */
  private void tornInSharedRequest(PostedReceive receive) {
    receive.pieces.forEach(piece -> piece.memory.forget(piece));
    receives.free(receive);
    receives.replenish();
  }

  private PostedSend nextMessage(WorkCompletions wcs, int index) {
    PostedSend message = end.peer().unreceived.poll();
    require(
        message != null,
        Rule.RECEIVED_IN_ORDER,
        "%s received what nobody sent: %s",
        end.name,
        wcs.toString(index));
    require(
        looksLike(message, wcs, index),
        Rule.RECEIVED_IN_ORDER,
        "%s: %s with immediate or key 0x%x was received as %s",
        end.name,
        message,
        message.immediate,
        wcs.toString(index));
    return message;
  }

  private PostedSend arrivedMessage(PostedReceive receive, WorkCompletions wcs, int index) {
    String completion = wcs.toString(index);
    PostedSend message =
        arrivals.received(
            end.name,
            completion,
            candidate -> looksLike(candidate, wcs, index) && holds(receive, candidate));
    end.run.count(Phenomenon.UNRELIABLE_MESSAGE);
    // Behind the message there may be bytes of torn ones that the request held before.
    receive.pieces.forEach(piece -> piece.memory.expectTail(piece));
    if (message.opcode == WrOpcode.RDMA_WRITE_WITH_IMM && message.remote != null) {
      message.remote.memory.landed(
          message.remote, message.payload, end.name + " received " + message);
    }
    return message;
  }

  private static boolean holds(PostedReceive receive, PostedSend message) {
    if (message.opcode == WrOpcode.RDMA_WRITE_WITH_IMM) {
      return true; // its immediate data tells it
    }
    boolean[] all = {true};
    Pieces.forEach(
        receive.pieces,
        message.payload,
        (piece, bytes) -> all[0] &= piece.memory.holds(piece, bytes));
    return all[0];
  }

  private static boolean looksLike(PostedSend message, WorkCompletions wcs, int index) {
    boolean write = message.opcode == WrOpcode.RDMA_WRITE_WITH_IMM;
    boolean immediate = write || message.opcode == WrOpcode.SEND_WITH_IMM;
    boolean invalidate = message.opcode == WrOpcode.SEND_WITH_INV;
    int flags = immediate ? WcFlags.WITH_IMM : invalidate ? WcFlags.WITH_INV : 0;
    return wcs.opcode(index) == (write ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV)
        && wcs.byteLength(index) == message.length()
        && (wcs.flags(index) & ~WcFlags.GRH) == flags
        && (!immediate || wcs.immediate(index) == message.immediate)
        && (!invalidate || wcs.invalidatedRkey(index) == message.immediate);
  }

  /** The first one may hold part of a message; the others were never touched. */
  private void flushed(PostedReceive receive) {
    String why = end.name + ": flushed " + receive;
    require(
        !receives.shared() || !flushed,
        Rule.FLUSHED_IN_ORDER,
        "%s, of a shared queue that it held only one request of",
        why);
    boolean first = !flushed;
    flushed = true;
    if (!receives.shared()) {
      receives.close();
    }
    if (first && !end.reliable()) {
      receive.pieces.forEach(piece -> piece.memory.forget(piece)); // torn messages were in it
    } else {
      settle(receive, first ? end.peer().unreceived.peek() : null, why);
    }
    if (receives.shared()) {
      receives.free(receive);
      receives.replenish();
    }
  }

  /** It may hold a part of that message (null: of none), and nothing else. */
  private static void settle(PostedReceive receive, PostedSend message, String why) {
    MemorySegment held =
        message == null || message.opcode == WrOpcode.RDMA_WRITE_WITH_IMM
            ? Pattern.NOTHING
            : message.payload;
    Pieces.forEach(receive.pieces, held, (e, b) -> e.memory.settleTorn(e, b, why));
  }

  /** Nothing more is posted. */
  void close() {
    if (!receives.shared()) {
      receives.close();
    }
  }

  /** No more completions come: the messages that were sent may be in the requests posted. */
  void abandon() {
    if (receives.shared()) {
      return;
    }
    Iterator<PostedSend> messages = end.peer().unreceived.iterator();
    for (PostedReceive receive : receives.abandon()) {
      if (end.reliable()) {
        settle(
            receive,
            messages.hasNext() ? messages.next() : null,
            end.name + ": never completed " + receive);
      } else {
        receive.pieces.forEach(piece -> piece.memory.forget(piece));
      }
    }
  }

  void checkFlushed() {
    require(
        receives.shared() || receives.posted() == 0,
        Rule.FLUSHED_IN_ORDER,
        "%s in %s: %d receive requests never completed",
        end.name,
        Participant.stateOf(end.qp()),
        receives.posted());
  }

  void checkAtEnd() {
    if (arrivals != null) {
      arrivals.checkAtEnd(end.name);
    }
  }

  @Override
  public String toString() {
    return receives.posted() + " receive requests posted";
  }
}
