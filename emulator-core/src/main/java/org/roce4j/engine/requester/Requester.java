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
 * The sending half of a queue pair. Requests complete in post order, each exactly once; a
 * successful unsignaled request completes without a completion. Confined to the engine's owner.
 */
public abstract sealed class Requester implements Touchable
    permits ReliableRequester, UnreliableRequester, DatagramRequester {
  final SendSide side;
  final SendQueue queue;
  final SendCompletions completions;

  /** Reads the payload: a cursor over the local buffers of the request being sent. */
  final LocalCursor gather;

  // A copy of side.peer(): every packet needs it, and this saves a cache line.
  final Peer peer;
  final Counters counters;

  /** The number of the queue pair, for observers and completions. */
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

  /** Adds packets to the train until the train is full or nothing can be sent now. */
  public abstract TransmitOutcome transmit(Transmit out);

  /**
   * Applies changed attributes.
   *
   * @param attr all attributes
   * @param mask the changed ones, of {@link org.roce4j.verbs.QpAttrMask}
   */
  public void configure(QpAttr attr, int mask) {}

  /**
   * Makes room for attributes that are about to change, and changes nothing else.
   *
   * @param attr the new attributes
   * @param mask the changed ones, of {@link org.roce4j.verbs.QpAttrMask}
   */
  public void reserve(QpAttr attr, int mask) {}

  /** Starts over at {@code firstPsn} with nothing outstanding (RTR to RTS, and after a reset). */
  public abstract void start(int firstPsn);

  /** Holds the requests that were not started (SQD), or releases them. */
  public abstract void hold(boolean held);

  /** Whether all started requests have completed. */
  public abstract boolean drained();

  /** The PSN of the next new request. */
  public abstract int nextPsn();

  /** What was sent and not acknowledged; approximate on threads that do not own the engine. */
  public InFlight inFlight() {
    return InFlight.nothing(nextPsn());
  }

  /** Gives up all packets in flight, without completions. */
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

  /**
   * Requests that are posted and have not completed; approximate on threads that do not own the
   * engine.
   */
  public final int outstanding() {
    return queue.size();
  }

  /**
   * Send requests that left the queue since it was created; approximate on threads that do not own
   * the engine.
   */
  public final long retired() {
    return queue.head();
  }

  /** Completes all posted requests with WR_FLUSH_ERR, in order. */
  public final void flush() {
    abandon();
    while (queue.head() != queue.end()) {
      completions.completeHead(WcStatus.WR_FLUSH_ERR);
    }
  }

  /** Forgets all posted requests, without completions. */
  public final void discard() {
    abandon();
    queue.clear();
  }

  /** Copies payload of a request into a packet; false on a local protection error. */
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
