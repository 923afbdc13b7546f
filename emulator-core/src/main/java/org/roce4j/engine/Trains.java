package org.roce4j.engine;

import java.util.Arrays;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.qp.QpMachine;

/**
 * Fills trains with the packets of the queue pairs that may have something to send, in the order of
 * their turns. What depends on the time at which a train leaves, such as timers, is done when it
 * {@linkplain #left has left}. Confined to the engine's owner.
 */
final class Trains {
  private final ActiveRing active;
  private final ReadAhead readAhead;
  private final PathWindows windows;

  /** Queue pair 1; null in engines that do not have it. */
  private final GeneralServices generalServices;

  private final Counters counters;

  /** What follows each turn: queue pairs whose completion queue has overflowed fail. */
  private final Runnable afterTurn;

  /** The queue pairs whose requesters have taken turns in the train that has not left. */
  private QpMachine[] departing = new QpMachine[64];

  /** The number of these queue pairs. */
  private int count;

  Trains(
      ActiveRing active,
      ReadAhead readAhead,
      PathWindows windows,
      GeneralServices generalServices,
      Counters counters,
      Runnable afterTurn) {
    this.active = active;
    this.readAhead = readAhead;
    this.windows = windows;
    this.generalServices = generalServices;
    this.counters = counters;
    this.afterTurn = afterTurn;
  }

  /** Whether {@link #fill} may have something to send. */
  boolean mayFill() {
    return !active.isEmpty()
        || windows.mayAdmit()
        || generalServices != null && generalServices.hasOutput();
  }

  /** Fills the next train and returns the number of its datagrams; {@link #left} must follow. */
  int fill(long nowNs, Transmit out) {
    out.clear();
    if (generalServices != null && generalServices.hasOutput()) {
      generalServices.transmit(out);
    } else {
      takeTurns(nowNs, out);
    }
    if (out.segments() > 0) {
      counters.add(Counter.SENT_PACKETS, out.segments());
      counters.add(Counter.SENT_BYTES, out.length());
      counters.increment(Counter.SENT_TRAINS);
    }
    return out.segments();
  }

  private void takeTurns(long nowNs, Transmit out) {
    windows.admitWaiting(active);
    while (!active.isEmpty() && !out.full()) {
      QpMachine qp = active.get(0);
      readAhead.turns(active);
      switch (qp.transmit(nowNs, out)) {
        case IDLE -> active.turnOver(qp);
        case BLOCKED -> {
          active.turnOver(qp);
          windows.await(qp.peer().window(), qp.peer().share(), nowNs);
        }
        case FULL -> {
          // its turn is over; the other queue pairs come first in the next train
          active.turnOver(qp);
          active.activate(qp);
          return;
        }
        case SENT -> throw new AssertionError("a turn ends idle, blocked or full");
      }
      afterTurn.run();
      windows.admitWaiting(active);
    }
  }

  /** A queue pair's requester has taken a turn. */
  void departs(QpMachine qp) {
    if (count == departing.length) {
      departing = Arrays.copyOf(departing, 2 * count);
    }
    departing[count++] = qp;
  }

  /** The train has left. */
  void left(long nowNs) {
    for (int i = 0; i < count; i++) {
      departing[i].sent(nowNs);
      departing[i] = null;
    }
    count = 0;
  }
}
