package org.roce4j.benchmarks;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Psn;

/**
 * One side of a dialogue. The other side is played: its packets were recorded when two engines held
 * the dialogue, and come again with later PSNs.
 */
final class PlayedSide implements AutoCloseable {
  private static final int MOST_BYTES = 1 << 17;
  private static final int MOST_PACKETS = 64;

  private final EnginePair pair;
  private final LoneDevice side;
  private final SendRequestList requests;
  private final RecvRequestList receives;
  private final ByteBuffer played = ByteBuffer.allocateDirect(MOST_BYTES);
  private final MemorySegment bytes = MemorySegment.ofBuffer(played);
  private final int[] at = new int[MOST_PACKETS];
  private final int[] length = new int[MOST_PACKETS];
  private int count;
  private int psnsPerTurn;

  private PlayedSide(EngineExchange dialogue, boolean requester) {
    pair = new EnginePair(dialogue.type());
    requests = dialogue.requests(pair);
    receives = dialogue.receives(pair);
    side = requester ? pair.left : pair.right;
    LoneDevice other = requester ? pair.right : pair.left;
    record(other);
    side.inbound.source(other.gid.high(), other.gid.low(), 4791);
    side.inbound.local(side.gid.high(), side.gid.low());
  }

  /** The side that posts; its responder is played. */
  static PlayedSide requester(EngineExchange dialogue) {
    return new PlayedSide(dialogue, true);
  }

  /** The side that answers; its requester is played. */
  static PlayedSide responder(EngineExchange dialogue) {
    return new PlayedSide(dialogue, false);
  }

  /** Plays the dialogue once with both engines, and keeps the packets of the other side. */
  private void record(LoneDevice other) {
    if (receives != null) {
      pair.right.qp.postRecvOrThrow(receives);
    }
    int first = pair.left.qp.query().sqPsn();
    pair.left.qp.postSendOrThrow(requests);
    pair.exchange(
        (from, offset, size) -> {
          if (from == other) {
            keep(from.train.buffer(), offset, size);
          }
        });
    pair.left.pollAll();
    pair.right.pollAll();
    psnsPerTurn = pair.left.qp.query().sqPsn() - first;
  }

  private void keep(ByteBuffer train, int offset, int size) {
    at[count] = count == 0 ? 0 : at[count - 1] + length[count - 1];
    length[count] = size;
    played.put(at[count], train, offset, size);
    count++;
  }

  /** The dialogue once more; completions taken. */
  int turn() {
    if (side == pair.left) {
      side.qp.postSendOrThrow(requests);
      say();
      answer();
    } else {
      if (receives != null) {
        side.qp.postRecvOrThrow(receives);
      }
      answer();
      say();
    }
    return side.pollAll();
  }

  private void say() {
    side.beginTurn();
    while (side.nextTrain() > 0) {
      // Its packets are known.
    }
  }

  private void answer() {
    for (int i = 0; i < count; i++) {
      int psnAt = at[i] + Bth.ACK_REQ;
      int word = played.getInt(psnAt);
      played.putInt(psnAt, word & ~Psn.MASK | word + psnsPerTurn & Psn.MASK);
      side.deliver(played, bytes, at[i], length[i]);
    }
  }

  @Override
  public void close() {
    pair.close();
  }
}
