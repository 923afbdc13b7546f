package org.roce4j.engine;

import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.qp.Needs;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.engine.queue.Touchable;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

/**
 * Touches what a batch of queue pairs is going to need before their packets are handled, step by
 * step, as {@link Touchable} says. Changes nothing. Confined to the engine's owner.
 */
final class ReadAhead {
  /** Enough to overlap their waits, few enough to be in the cache still when their turn comes. */
  static final int BATCH = 16;

  /** The queue pairs that are being read ahead. */
  private final QpMachine[] expected = new QpMachine[Transmit.MAX_SEGMENTS];

  /** What each of {@link #expected} will need. */
  private final Needs[] needs = new Needs[Transmit.MAX_SEGMENTS];

  /** The number of queue pairs at the head of the active ring that were read. */
  private int turns;

  /** Sum of what was read: written, so that reading is not optimised away. */
  @SuppressWarnings("UnusedVariable")
  private long sum;

  /** A train has arrived. */
  void arriving(QpTable table, ByteBuffer buffer, int at, int segmentSize, int length) {
    int count = 0;
    for (int i = 0; i + Bth.SIZE <= length && count < expected.length; i += segmentSize) {
      QpMachine qp = table.find(Bth.destQp(buffer, at + i));
      if (qp != null && (count == 0 || qp != expected[count - 1])) {
        Opcode opcode = Opcode.of(Bth.opcode(buffer, at + i));
        needs[count] = needs(opcode);
        expected[count++] = qp;
      }
    }
    if (count > 1) {
      read(count);
    }
  }

  private static Needs needs(Opcode opcode) {
    if (opcode == null || opcode.response()) {
      return Needs.REQUESTER;
    }
    return switch (opcode.operation()) {
      case SEND -> Needs.RECEIVE_QUEUE;
      case RDMA_WRITE -> Needs.RESPONDER;
      default -> Needs.ANSWERS;
    };
  }

  /** The next turn is about to be taken. */
  void turns(ActiveRing active) {
    if (turns > 0 || active.size() == 1) {
      return;
    }
    turns = Math.min(BATCH, active.size());
    for (int i = 0; i < turns; i++) {
      expected[i] = active.get(i);
    }
    for (int i = 0; i < turns; i++) {
      needs[i] = expected[i].maySend() ? Needs.REQUESTER : Needs.RESPONDER;
    }
    read(turns);
  }

  /** The first of those that were read has had its turn. */
  void turnTaken() {
    if (turns > 0) {
      turns--;
    }
  }

  /** The order of turns has changed. */
  void forgetTurns() {
    turns = 0;
  }

  /** A step for all before the next step: where one is, the step before has told. */
  private void read(int count) {
    long read = 0;
    for (int i = 0; i < count; i++) {
      read += expected[i].qpNum();
    }
    for (int step = Touchable.ITSELF; step <= Touchable.ANSWER; step++) {
      for (int i = 0; i < count; i++) {
        read += expected[i].touch(needs[i], step);
      }
    }
    sum += read;
  }
}
