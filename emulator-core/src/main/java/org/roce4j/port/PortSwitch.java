package org.roce4j.port;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;

/**
 * A port that can be taken down and brought up again, as a cable that is pulled: while it is down,
 * nothing is sent and what arrives is lost.
 */
public final class PortSwitch extends PortAround {
  private static final int MOST_ROUNDS = 1000;

  private final AtomicBoolean up = new AtomicBoolean(true);
  private final AtomicInteger downs = new AtomicInteger();
  private final DatagramSink lost = inbound -> {};

  /** Downs after which nothing waits any more that arrived during them; the engine's owner. */
  private int forgotten;

  /** Around that port, up. */
  public PortSwitch(Port port) {
    super(port);
  }

  /** Takes the port down or brings it up; any thread. */
  public void up(boolean value) {
    if (!value) {
      downs.incrementAndGet();
    }
    up.set(value);
  }

  /** Whether it sends and receives; any thread. */
  public boolean isUp() {
    return up.get();
  }

  @Override
  public int receive(DatagramSink sink, int budget) {
    if (!up.getOpaque()) {
      port.receive(lost, budget);
      return 0;
    }
    int now = downs.getOpaque();
    if (forgotten != now) {
      forgotten = now;
      forgetWaiting(budget);
    }
    return super.receive(sink, budget);
  }

  /** What arrived while the port was down and nobody looked may still wait in a socket. */
  private void forgetWaiting(int budget) {
    int rounds = 0;
    while (rounds < MOST_ROUNDS && port.receive(lost, budget) > 0) {
      rounds++;
    }
  }

  @Override
  public void send(Transmit train) {
    if (up.getOpaque()) {
      super.send(train);
    } else {
      port.counters().add(Counter.SEND_ERROR, train.segments());
    }
  }
}
