package org.roce4j.wire.inspect;

import java.util.NavigableMap;
import java.util.TreeMap;
import org.roce4j.wire.Psn;

/**
 * The requests from one address to one queue pair, by their PSNs. A READ request takes as many PSNs
 * as it has responses, which depends on the path MTU; a capture does not show the path MTU, so it
 * is learnt from the request that follows.
 */
final class RequestFlow {
  private static final int LEAST_MTU = 256;
  private static final int MOST_MTU = 4096;

  /** The number of gaps remembered; beyond it the oldest is forgotten. */
  private static final int MOST_GAPS = 1024;

  /** The queue pair that the requests name. */
  private final int responder;

  private final long first;
  private final NavigableMap<Long, Long> missing = new TreeMap<>();
  private long next;
  private long reading;
  private long readBytes;
  private int mtu = MOST_MTU;

  /** Responses were seen up to this PSN, exclusive. */
  private long answered;

  /** The queue pair that sends the requests, when a response has named it. */
  private int requester = FlowPosition.NO_QP;

  RequestFlow(int queuePair, int psn) {
    responder = queuePair;
    first = psn;
    next = psn;
  }

  /** The extended PSN nearest to the expected one. */
  long extend(int psn) {
    return Psn.extend(next, psn);
  }

  /** A response has named the queue pair that it answers. */
  void answers(int queuePair) {
    requester = queuePair;
  }

  private FlowPosition position(Mark mark, long gap, long at, int sender) {
    return new FlowPosition(mark, gap, at - first, (int) (at >> Psn.BITS), sender);
  }

  /** Whether a response with this PSN may answer a request of this flow. */
  boolean mayBeAnswered(int psn) {
    long extended = extend(psn);
    return extended >= first && extended <= next;
  }

  /**
   * Records a request.
   *
   * @param readBytes bytes that a READ requests; 0 for every other request
   */
  FlowPosition request(int psn, long readBytes) {
    long at = extend(psn);
    learn(at);
    FlowPosition position = judge(at);
    if (at >= next) {
      next = at + span(readBytes);
      reading = at;
      this.readBytes = readBytes;
    }
    return position;
  }

  private FlowPosition judge(long at) {
    if (at > next) {
      missing.put(next, at);
      if (missing.size() > MOST_GAPS) {
        missing.pollFirstEntry();
      }
      return position(Mark.GAP, at - next, at, requester);
    }
    if (at == next) {
      return position(Mark.NONE, 0, at, requester);
    }
    return position(fill(at) ? Mark.LATE : Mark.RETRANSMISSION, 0, at, requester);
  }

  /** Removes a PSN from the missing ones. */
  private boolean fill(long at) {
    var range = missing.floorEntry(at);
    if (range == null || range.getValue() <= at) {
      return false;
    }
    missing.remove(range.getKey());
    if (range.getKey() < at) {
      missing.put(range.getKey(), at);
    }
    if (at + 1 < range.getValue()) {
      missing.put(at + 1, range.getValue());
    }
    return true;
  }

  /** The request after a READ tells the path MTU, unless packets between are missing. */
  private void learn(long at) {
    if (readBytes == 0 || at == next) {
      return;
    }
    for (int size = LEAST_MTU; size <= MOST_MTU; size *= 2) {
      if (reading + packets(readBytes, size) == at) {
        mtu = size;
        next = at;
        return;
      }
    }
  }

  private long span(long readBytes) {
    return packets(readBytes, mtu);
  }

  private static long packets(long bytes, int size) {
    return Math.max(1, (bytes + size - 1) / size);
  }

  /** Records a response; {@code read}: it carries a READ's data, one PSN a packet. */
  FlowPosition response(int psn, boolean read, Mark mark) {
    long at = extend(psn);
    Mark told = mark;
    if (told == Mark.NONE && at < answered) {
      told = Mark.DUPLICATE;
    }
    if (mark == Mark.NONE) {
      answered = Math.max(answered, at + 1);
      if (read) {
        next = Math.max(next, at + 1);
      }
    }
    return position(told, 0, at, responder);
  }
}
