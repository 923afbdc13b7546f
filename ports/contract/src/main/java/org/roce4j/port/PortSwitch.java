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
 * A port that can be taken down and brought up again, like pulling a cable: while it is down it
 * sends nothing and drops what arrives.
 */
public final class PortSwitch extends PortAround {
  private static final int MOST_ROUNDS = 1000;

  private final AtomicBoolean up = new AtomicBoolean(true);
  private final AtomicInteger downs = new AtomicInteger();
  private final DatagramSink lost = inbound -> {};

  /** Datagrams from and to these addresses are dropped. */
  private volatile Gid[] silent = {};

  /** Filters arrivals while some addresses are silent. Used by the engine's owner only. */
  private final Heard heard = new Heard();

  /**
   * The number of downs whose arrivals have been drained from the sockets. Used by the engine's
   * owner only.
   */
  private int forgotten;

  /** Decorates a port; it is up at first. */
  public PortSwitch(Port port) {
    super(port);
  }

  /** Takes the port down or brings it up. Any thread may call this. */
  public void up(boolean value) {
    if (!value) {
      downs.incrementAndGet();
    }
    up.set(value);
  }

  /** Whether the port is up. Any thread may call this. */
  public boolean isUp() {
    return up.get();
  }

  /** Sets the silent addresses: datagrams from and to them are dropped from now on. */
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

  /** Passes on only the datagrams to addresses that are not silent. */
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

    @Override
    public boolean readsNetworkFields() {
      return sink.readsNetworkFields();
    }
  }

  /** Drops datagrams that arrived while the port was down and still wait in a socket. */
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
