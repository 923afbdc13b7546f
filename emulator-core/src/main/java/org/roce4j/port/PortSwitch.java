package org.roce4j.port;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Gid;

/**
 * A port that can be taken down and brought up again, as a cable that is pulled: while it is down,
 * nothing is sent and what arrives is lost.
 */
public final class PortSwitch extends PortAround {
  private static final int MOST_ROUNDS = 1000;

  private final AtomicBoolean up = new AtomicBoolean(true);
  private final AtomicInteger downs = new AtomicInteger();
  private final DatagramSink lost = inbound -> {};

  /** What is sent from these and to these is lost. */
  private volatile Gid[] silent = {};

  /** Takes what arrives while some addresses are silent; the engine's owner. */
  private final Heard heard = new Heard();

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

  /** From now on what is sent from these addresses, and what arrives at them, is lost. */
  public void silence(Set<Gid> addresses) {
    silent = addresses.toArray(Gid[]::new);
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
    return port.receive(silent.length == 0 ? sink : heard.by(sink), budget);
  }

  /** Whether an address is silent. */
  private boolean isSilent(long high, long low) {
    for (Gid address : silent) {
      if (address.high() == high && address.low() == low) {
        return true;
      }
    }
    return false;
  }

  /** Passes on what arrives at the other addresses. */
  private final class Heard implements DatagramSink {
    private DatagramSink sink;

    DatagramSink by(DatagramSink listener) {
      sink = listener;
      return this;
    }

    @Override
    public void datagram(Inbound inbound) {
      if (!isSilent(inbound.heardHigh(), inbound.heardLow())) {
        sink.datagram(inbound);
      }
    }

    @Override
    public void expectTrain(ByteBuffer buffer, int at, int segmentSize, int length) {
      sink.expectTrain(buffer, at, segmentSize, length);
    }
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
    Path path = train.path();
    boolean mute = path != null && isSilent(path.localHigh(), path.localLow());
    if (up.getOpaque() && !mute) {
      super.send(train);
    } else {
      port.counters().add(Counter.SEND_ERROR, train.segments());
    }
  }
}
