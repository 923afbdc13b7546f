package org.roce4j.engine;

import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.qp.Needs;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.engine.queue.Touchable;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

/**
 * Reads the state that the next packets and turns will need, before they are handled, in the steps
 * of {@link Touchable}. Changes nothing. Confined to the engine's owner.
 */
final class ReadAhead {
  /**
   * Enough queue pairs to overlap cache misses, few enough to stay in the cache until their turn.
   */
  static final int BATCH = 16;

  /** The queue pairs that are read ahead. */
  private final QpMachine[] expected = new QpMachine[Transmit.MAX_SEGMENTS];

  /** The parts that each of {@link #expected} will need. */
  private final Needs[] needs = new Needs[Transmit.MAX_SEGMENTS];

  /** The number of queue pairs at the front of the active ring that were read. */
  private int turns;

  /** The sum of the values read. It is stored so that the compiler keeps the reads. */
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

  /** Reads the queue pairs of the next turns. */
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

  /** The first of the queue pairs that were read has taken its turn. */
  void turnTaken() {
    if (turns > 0) {
      turns--;
    }
  }

  /** The order of turns has changed. */
  void forgetTurns() {
    turns = 0;
  }

  /**
   * Reads one step for all queue pairs before the next step, because a step reads the addresses
   * that the next step needs.
   */
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
