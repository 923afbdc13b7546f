package org.roce4j.engine.responder;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.path.Peer;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.engine.queue.Touchable;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;

/** The receiving half of a queue pair. Confined to the engine's owner. */
public abstract sealed class Responder implements Touchable
    permits ReliableResponder, UnreliableResponder, DatagramResponder {
  final ReceiveSide side;
  final HeldReceive receive;

  // Of the side, what every packet needs: one cache line less.
  final Peer peer;
  final Counters counters;
  final int qpNum;

  /** Where receives complete; fixed, but for XRC. */
  CompletionRing completions;

  Responder(ReceiveSide side, int maxSge) {
    this.side = side;
    peer = side.peer();
    counters = side.counters();
    completions = side.completions();
    qpNum = side.qpNum();
    receive = new HeldReceive(side, maxSge);
  }

  /**
   * Takes a request that was routed here: right service, state, P_Key and address.
   *
   * @return whether it was a new one, and processed without an error
   */
  public abstract boolean handleRequest(long nowNs, InboundPacket packet, Inbound inbound);

  /** Whether there is an answer to send. */
  public abstract boolean hasAnswers();

  /**
   * Adds answers to the train.
   *
   * @return false if the next one does not fit
   */
  public abstract boolean transmit(Transmit out);

  /**
   * Attributes have changed.
   *
   * @param attr all of them
   * @param mask those that have changed, of {@link org.roce4j.verbs.QpAttrMask}
   */
  public abstract void configure(QpAttr attr, int mask);

  /**
   * Attributes are about to change: makes room for them, and changes nothing else.
   *
   * @param attr with what is new
   */
  public void reserve(QpAttr attr, int mask) {}

  /** Starts over: expects this PSN, no message under way (INIT to RTR, and after a reset). */
  public abstract void start(int expectedPsn);

  /** The PSN expected next. */
  public abstract int expectedPsn();

  @Override
  public long touch(int step) {
    return switch (step) {
      case ITSELF -> qpNum;
      case PARTS -> receive.wrId();
      default -> 0;
    };
  }

  /** XRC: a shared receive queue is destroyed. */
  public void receiverGone(XrcReceiver gone) {}

  /** Touches the queue of receive requests, which only some requests need. */
  public final long touchReceives(int step) {
    return receive.touch(step);
  }

  /**
   * Completes what is posted with WR_FLUSH_ERR, in order; the held request first. Requests of a
   * shared queue stay there.
   */
  public void flush() {
    if (receive.isHeld()) {
      failReceive(WcStatus.WR_FLUSH_ERR);
    }
    if (side.source().shared()) {
      return;
    }
    ReceiveQueue queue = side.source().queue();
    while (queue.head() != queue.end()) {
      counters.increment(Counter.RESPONDER_CQE_FLUSHED);
      long wrId = queue.wrId(queue.slot(queue.head()));
      queue.retire(); // first, as every request leaves its queue before its completion is there
      completions.push(wrId, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 0, qpNum);
    }
  }

  /** Forgets all that is posted, without completions. */
  public void discard() {
    receive.forget();
    if (!side.source().shared()) {
      side.source().queue().clear();
    }
  }

  /**
   * Completes the held request, once {@link CompletionRing#publish} follows.
   *
   * @return its slot in {@link #completions}, or {@link CompletionRing#NONE}
   */
  final long claimCompletion(WcStatus status, WcOpcode opcode, long bytes) {
    counters.increment(
        switch (status) {
          case SUCCESS -> Counter.RDMA_RECEIVES;
          case WR_FLUSH_ERR -> Counter.RESPONDER_CQE_FLUSHED;
          default -> Counter.RESPONDER_CQE_ERROR;
        });
    long wrId = receive.wrId();
    receive.release();
    return completions.claim(wrId, status, opcode, bytes, qpNum);
  }

  /** Completes the held request with an error; only the status of its completion means anything. */
  final void failReceive(WcStatus status) {
    long slot = claimCompletion(status, WcOpcode.RECV, 0);
    if (slot != CompletionRing.NONE) {
      completions.publish(slot, true);
    }
  }

  /**
   * The queue cannot go on: its state changes before the held request, if there is one, completes.
   *
   * @param event the asynchronous event that goes with it, or null
   * @param why it cannot, for people
   */
  final void failQueue(WcStatus heldStatus, EventType event, String why) {
    side.verdicts().receiveQueueFails(why);
    if (receive.isHeld()) {
      failReceive(heldStatus);
    }
    side.verdicts().receiveQueueFailed(event);
  }

  /** Completes the held request with what the last packet of a message says. */
  final void completeMessage(InboundPacket packet, long bytes) {
    Opcode opcode = packet.opcode();
    boolean write = opcode.operation() == Operation.RDMA_WRITE;
    long slot =
        claimCompletion(
            WcStatus.SUCCESS, write ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV, bytes);
    if (slot == CompletionRing.NONE) {
      return;
    }
    if (opcode.hasImmediate()) {
      completions.immediate(slot, packet.immediate());
    } else if (opcode.hasInvalidate()) {
      completions.invalidated(slot, packet.invalidateRkey());
    }
    completions.publish(slot, packet.solicited());
  }

  final void drop(Counter reason, InboundPacket packet) {
    counters.increment(reason);
    side.trace().dropped(qpNum, packet.psn(), reason);
  }
}
