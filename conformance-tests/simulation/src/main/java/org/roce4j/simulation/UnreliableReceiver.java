package org.roce4j.simulation;

import java.util.function.BooleanSupplier;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Receives messages of its peer in order, each whole or not at all. */
final class UnreliableReceiver extends Receiver {
  private final World world;
  private final Arrivals arrivals;

  UnreliableReceiver(String name, BooleanSupplier inError, ReceivePool receives, World world) {
    super(name, inError, receives);
    this.world = world;
    arrivals = new Arrivals(world.agenda, world.options.severalEngines(), receives);
  }

  Arrivals arrivals() {
    return arrivals;
  }

  @Override
  PostedSend identify(PostedReceive receive, WorkCompletions wcs, int index) {
    PostedSend message =
        arrivals.received(
            name,
            wcs.toString(index),
            candidate ->
                looksLike(candidate, wcs, index)
                    && wcs.byteLength(index) == candidate.length()
                    && holds(receive, candidate));
    world.counts.met(Phenomenon.UNRELIABLE_MESSAGE);
    // The request may have held a torn message before, whose bytes are still behind this one.
    receive.pieces.forEach(piece -> piece.memory.expectTail(piece));
    if (message.opcode == WrOpcode.RDMA_WRITE_WITH_IMM && message.remote != null) {
      message.remote.memory.landed(message.remote, message.payload, name + " received " + message);
    }
    return message;
  }

  private static boolean holds(PostedReceive receive, PostedSend message) {
    if (message.opcode == WrOpcode.RDMA_WRITE_WITH_IMM) {
      return true; // its immediate data identifies it
    }
    boolean[] all = {true};
    Pieces.forEach(
        receive.pieces,
        message.payload,
        (piece, bytes) -> all[0] &= piece.memory.holds(piece, bytes));
    return all[0];
  }

  @Override
  void failed(PostedReceive receive, WorkCompletions wcs, int index) {
    if (shared() && wcs.status(index) == WcStatus.REM_INV_REQ_ERR) {
      // A message was torn: its request of a shared queue completes in error.
      forget(receive);
      reuse(receive);
    } else {
      super.failed(receive, wcs, index);
    }
  }

  @Override
  void checkAtEnd() {
    arrivals.checkAtEnd(name);
  }
}
