package org.roce4j.engine.requester;

import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.memory.LocalCursor;
import org.roce4j.engine.path.Peer;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.engine.queue.Touchable;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.WcStatus;

/**
 * The sending half of a queue pair. Requests complete strictly in post order, each exactly once;
 * successful unsignaled ones silently. Confined to the engine's owner.
 */
public abstract sealed class Requester implements Touchable
    permits ReliableRequester, UnreliableRequester, DatagramRequester {
  final SendSide side;
  final SendQueue queue;
  final SendCompletions completions;

  /** Where payload comes from: the local buffers of the request that is being sent. */
  final LocalCursor gather;

  // Of the side, what every packet needs: one cache line less.
  final Peer peer;
  final Counters counters;
  final int qpNum;

  Requester(SendSide side) {
    this.side = side;
    this.queue = side.queue();
    peer = side.peer();
    counters = side.counters();
    completions = new SendCompletions(side);
    qpNum = side.qpNum();
    this.gather = new LocalCursor(side.keys(), side.accessor());
  }

  /** Adds packets to the train until it is full or there is nothing to send now. */
  public abstract TransmitOutcome transmit(long nowNs, Transmit out);

  /**
   * Attributes have changed.
   *
   * @param attr all of them
   * @param mask those that have changed, of {@link org.roce4j.verbs.QpAttrMask}
   */
  public void configure(QpAttr attr, int mask) {}

  /**
   * Attributes are about to change: makes room for them, and changes nothing else.
   *
   * @param attr with what is new
   */
  public void reserve(QpAttr attr, int mask) {}

  /** Starts over at this PSN, nothing outstanding (RTR to RTS, and after a reset). */
  public abstract void start(int firstPsn);

  /** Holds requests that were not started (SQD), or lets them go. */
  public abstract void hold(boolean held);

  /** Whether everything that was started has completed. */
  public abstract boolean drained();

  /** The PSN the next new request will bear. */
  public abstract int nextPsn();

  /** What it has sent and waits for; a guess on threads that run no engine. */
  public InFlight inFlight() {
    return InFlight.nothing(nextPsn());
  }

  /** Gives up everything in flight, without completions. */
  abstract void abandon();

  @Override
  public long touch(int step) {
    return switch (step) {
      case ITSELF -> qpNum;
      case PARTS -> gather.position() + queue.head() + completions.touch();
      case REQUEST -> queue.touchOldest();
      default -> 0;
    };
  }

  /** Requests that are posted and have not completed; a guess on threads that run no engine. */
  public final int outstanding() {
    return queue.size();
  }

  /** Send requests that have left the queue since it was made; a guess on other threads. */
  public final long retired() {
    return queue.head();
  }

  /** Completes all that is posted with WR_FLUSH_ERR, in order. */
  public final void flush() {
    abandon();
    while (queue.head() != queue.end()) {
      completions.completeHead(WcStatus.WR_FLUSH_ERR);
    }
  }

  /** Forgets all that is posted, without completions. */
  public final void discard() {
    abandon();
    queue.clear();
  }

  /** Copies payload of a request into a packet; false: a local protection error. */
  final boolean gatherPayload(int slot, long from, Transmit out, int at, int bytes) {
    if (bytes == 0) {
      return true;
    }
    if (queue.inline(slot)) {
      queue.copyInline(slot, from, out.memory(), at, bytes);
      return true;
    }
    gather.seek(from);
    return gather.gather(out.memory(), at, bytes);
  }
}
