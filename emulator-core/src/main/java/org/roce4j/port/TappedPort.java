package org.roce4j.port;

import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.Inbound;

/**
 * A port that sees what the port beneath receives before it hands it over. The sink of a call of
 * {@link #receive} is known until that call ends, however it ends.
 */
public abstract class TappedPort extends PortAround {
  private final Tap tap = new Tap();

  /** Null: nobody is receiving. */
  private DatagramSink sink;

  /** Around that port. */
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
   * Takes datagrams from the port beneath; {@link #received} sees each.
   *
   * @return how many datagrams were handed over
   */
  protected int take(int budget) {
    return port.receive(tap, budget);
  }

  /** A datagram has arrived: {@link #handOver} passes it on. */
  protected abstract void received(Inbound inbound);

  /** Gives a datagram to the sink; while {@link #receiving}. */
  protected final void handOver(Inbound inbound) {
    sink.datagram(inbound);
  }

  /** Whether a call of {@link #receive} is under way. */
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
