package org.roce4j.port;

import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.device.Engine;
import org.roce4j.engine.time.DeadlineHeap;

/**
 * One turn of an engine on its port: doorbells, timers, transmit, receive. The clock is read once
 * per half. For the engine's owner; the same on a socket and on the fabric.
 *
 * <p>What is thrown inside passes through to the caller, after the engine has been told that it has
 * {@linkplain Engine#fail failed}; from then on a turn only flushes what is posted and throws away
 * what arrives.
 */
public final class DutyCycle {
  /** Datagrams taken per turn, so that answers are not put off for ever. */
  private static final int RECEIVE_BUDGET = 256;

  /** Trains sent per turn, so that arrivals are not left to overrun the socket. */
  private static final int TRAINS_PER_TURN = 32;

  private final Engine engine;
  private final Port port;
  private final Transmit train;
  private final DatagramSink sink;
  private final DatagramSink discarded = inbound -> {};
  private long nowNs;

  public DutyCycle(Engine engine, Port port) {
    this.engine = engine;
    this.port = port;
    train =
        new Transmit(
            ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), port.capabilities().maxTrain());
    sink = new Arrivals();
  }

  /** Hands to the engine what the port takes in. */
  private final class Arrivals implements DatagramSink {
    @Override
    public void datagram(Inbound inbound) {
      engine.handleDatagram(nowNs, inbound);
    }

    @Override
    public void expectTrain(ByteBuffer buffer, int at, int segmentSize, int length) {
      engine.expectTrain(buffer, at, segmentSize, length);
    }
  }

  /**
   * A whole turn: what is due is sent, then what has arrived is taken in. Answers to that wait for
   * the next turn or for the application's next post, whichever comes first: so a reply and the
   * acknowledgement travel in one train, and a poller gets its completion before, not after, the
   * system call that acknowledges it.
   *
   * @return datagrams received
   */
  public int run() {
    if (engine.failure() != null) {
      flushPosted();
      return 0;
    }
    try {
      return turn();
    } catch (RuntimeException | Error e) {
      engine.fail(e);
      throw e;
    }
  }

  private int turn() {
    nowNs = port.nowNs();
    engine.handleDoorbells(nowNs);
    int received = 0;
    if (timerIsDue()) {
      // An answer that is here already is in time, however late this turn is.
      received = port.receive(sink, RECEIVE_BUDGET);
      if (timerIsDue()) {
        engine.handleTimeout(nowNs);
      }
    }
    if (engine.hasOutput()) {
      transmit();
      nowNs = port.nowNs();
    }
    return received + port.receive(sink, RECEIVE_BUDGET);
  }

  private boolean timerIsDue() {
    long next = engine.nextTimeout();
    return next != DeadlineHeap.NEVER && next - nowNs <= 0;
  }

  /** The sending half of a turn: what was published is sent at once. */
  public void flush() {
    if (engine.failure() != null) {
      flushPosted();
      return;
    }
    try {
      nowNs = port.nowNs();
      engine.handleDoorbells(nowNs);
      transmit();
    } catch (RuntimeException | Error e) {
      engine.fail(e);
      throw e;
    }
  }

  private void flushPosted() {
    engine.handleDoorbells(port.nowNs());
    port.receive(discarded, RECEIVE_BUDGET);
  }

  private void transmit() {
    for (int i = 0; i < TRAINS_PER_TURN && engine.pollTransmit(nowNs, train) > 0; i++) {
      port.send(train);
    }
  }
}
