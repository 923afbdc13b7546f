package org.roce4j.port;

import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.Inbound;

/**
 * A decorator that sees each received datagram before it hands it over. It knows the sink of a call
 * of {@link #receive} exactly until that call returns or throws.
 */
public abstract class TappedPort extends PortAround {
  private final Tap tap = new Tap();

  /** Null outside {@link #receive}. */
  private DatagramSink sink;

  /** Decorates a port. */
  protected TappedPort(Port port) {
    super(port);
  }

  @Override
  public final int receive(DatagramSink sink, int budget) {
    this.sink = sink;
    try {
      return take(budget);
    } finally {
      this.sink = null;
    }
  }

  /**
   * Receives datagrams from the port below; each goes to {@link #received}.
   *
   * @return the number of datagrams received
   */
  protected int take(int budget) {
    return port.receive(tap, budget);
  }

  /** A datagram has arrived. To pass it on, call {@link #handOver}. */
  protected abstract void received(Inbound inbound);

  /** Gives a datagram to the sink. Only while {@link #receiving}. */
  protected final void handOver(Inbound inbound) {
    sink.datagram(inbound);
  }

  /** Whether {@link #receive} is running. */
  protected final boolean receiving() {
    return sink != null;
  }

  private final class Tap implements DatagramSink {
    @Override
    public void datagram(Inbound inbound) {
      received(inbound);
    }

    @Override
    public void expectTrain(ByteBuffer buffer, int at, int segmentSize, int length) {
      sink.expectTrain(buffer, at, segmentSize, length);
    }
  }
}
