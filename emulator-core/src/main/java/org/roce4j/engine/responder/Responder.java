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

  // Copies from side: every packet needs them, and this saves a cache line.
  final Peer peer;
  final Counters counters;

  /** The number of the queue pair, for observers and completions. */
  final int qpNum;

  /** The completion queue of receives; fixed, except for XRC. */
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
   * Handles a request whose service, queue pair state, P_Key and address were found right.
   *
   * @return whether the request was new and was processed without an error
   */
  public abstract boolean handleRequest(InboundPacket packet, Inbound inbound);

  /** Whether an answer is to be sent. */
  public abstract boolean hasAnswers();

  /**
   * Adds answers to the train.
   *
   * @return false if the next answer does not fit
   */
  public abstract boolean transmit(Transmit out);

  /**
   * Applies changed attributes.
   *
   * @param attr all attributes
   * @param mask the changed ones, of {@link org.roce4j.verbs.QpAttrMask}
   */
  public abstract void configure(QpAttr attr, int mask);

  /**
   * Makes room for attributes that are about to change, and changes nothing else.
   *
   * @param attr the new attributes
   * @param mask the changed ones, of {@link org.roce4j.verbs.QpAttrMask}
   */
  public void reserve(QpAttr attr, int mask) {}

  /** Starts over at {@code expectedPsn} between two messages (INIT to RTR, and after a reset). */
  public abstract void start(int expectedPsn);

  /** The expected PSN. */
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

  /** Prefetches the receive queue, which only some requests need. */
  public final long touchReceives(int step) {
    return receive.touch(step);
  }

  /**
   * Completes the held request and then the posted ones with WR_FLUSH_ERR, in order. Requests of a
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
      queue.retire(); // a request leaves its queue before its completion appears
      completions.push(wrId, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 0, qpNum);
    }
  }

  /** Forgets the held and the posted requests, without completions. */
  public void discard() {
    receive.forget();
    if (!side.source().shared()) {
      side.source().queue().clear();
    }
  }

  /**
   * Prepares the completion of the held request; {@link CompletionRing#publish} must follow.
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

  /** Completes the held request with an error; only the completion's status has a meaning. */
  final void failReceive(WcStatus status) {
    long slot = claimCompletion(status, WcOpcode.RECV, 0);
    if (slot != CompletionRing.NONE) {
      completions.publish(slot, true);
    }
  }

  /**
   * Fails the receive queue. Its state changes before the held request, if there is one, completes.
   *
   * @param event the asynchronous event of the failure, or null
   * @param why the reason, for messages
   */
  final void failQueue(WcStatus heldStatus, EventType event, String why) {
    side.verdicts().receiveQueueFails(why);
    if (receive.isHeld()) {
      failReceive(heldStatus);
    }
    side.verdicts().receiveQueueFailed(event);
  }

  /** Completes the held request with the fields of a message's last packet. */
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
