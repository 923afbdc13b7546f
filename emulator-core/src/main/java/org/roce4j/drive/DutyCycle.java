package org.roce4j.drive;

import java.nio.ByteBuffer;
import org.roce4j.engine.Engine;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.Port;

/**
 * One turn of an engine on its port: doorbells, timers, transmit, receive. The clock is read once
 * per half, where anything is done. For the engine's owner; the same on a socket and on the fabric.
 *
 * <p>Nothing is thrown. What is thrown inside is a defect: the engine is told that it has
 * {@linkplain Engine#fail failed}, and from then on a turn only flushes what is posted and throws
 * away what arrives.
 */
public final class DutyCycle {
  /** Datagrams taken in at most per turn, so that answers to them are not put off for ever. */
  private static final int RECEIVE_BUDGET = 256;

  /**
   * Of the turns that poll, every fourth looks at the timers; a power of two. Reading the clock
   * costs a tenth of an idle turn.
   */
  private static final int CLOCK_EVERY = 4;

  /** Trains sent at most per turn, so that arrivals do not overrun the socket meanwhile. */
  private static final int TRAINS_PER_TURN = 32;

  /** What takes the turns. */
  private final Engine engine;

  /** Where datagrams come from and go to. */
  private final Port port;

  /** What is sent next; filled by the engine, again and again. */
  private final Transmit train;

  /** Takes what arrives to the engine. */
  private final DatagramSink sink;

  /** Takes what arrives for an engine that has failed. */
  private final DatagramSink discarded = inbound -> {};

  /** The port's clock, as read last. */
  private long nowNs;

  /** Whether {@link #nowNs} is the time of the batch that is received. */
  private boolean arrivalsTimed;

  /** Turns that polled. */
  private int polls;

  /** What the last turns have thrown, until {@link #throwFailure} tells. */
  private Throwable thrown;

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
      if (!arrivalsTimed) {
        nowNs = port.receivedNs();
        arrivalsTimed = true;
      }
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
    return run(true);
  }

  /**
   * A turn of a thread that polls, and will do so again at once: it looks at the timers every
   * fourth time only, and after a reply whose acknowledgement follows it, so that it is sent while
   * the peer is busy.
   *
   * @return datagrams received
   */
  public int poll() {
    return run((++polls & CLOCK_EVERY - 1) == 0 || engine.ackFollows());
  }

  private int run(boolean timers) {
    try {
      if (engine.failure() == null) {
        return turn(timers);
      }
      flushPosted();
    } catch (RuntimeException | Error e) {
      fail(e);
    }
    return 0;
  }

  private int turn(boolean timers) {
    boolean rung = engine.isRung();
    if (timers || rung) {
      nowNs = port.nowNs(); // what was handed over is taken in now, whenever the last turn was
    }
    if (rung) {
      engine.handleDoorbells(nowNs);
    }
    int received = 0;
    if (timers && timerIsDue()) {
      // An answer that is here already is in time, however late this turn is.
      received = receiveAll();
      if (timerIsDue()) {
        engine.handleTimeout(nowNs);
      }
    }
    if (engine.hasOutput()) {
      if (!timers) {
        nowNs = port.nowNs();
      }
      transmit();
    }
    received += receive();
    letGo();
    return received;
  }

  /** What arrived may have ended the wait of requests that were posted meanwhile. */
  private void letGo() {
    if (engine.heldTooLong()) {
      engine.handleDoorbells(nowNs);
      transmit();
    }
  }

  private int receiveAll() {
    int received = 0;
    int more;
    do {
      more = receive();
      received += more;
    } while (more > 0 && received < RECEIVE_BUDGET);
    return received;
  }

  private int receive() {
    arrivalsTimed = false;
    return port.receive(sink, RECEIVE_BUDGET);
  }

  private boolean timerIsDue() {
    return Deadlines.isDue(engine.nextTimeout(), nowNs);
  }

  /**
   * The sending half of a turn, for a thread that has just posted.
   *
   * @param willPoll whether that thread goes on to poll: an acknowledgement that is due may wait a
   *     moment then, for the answer to what is sent
   */
  public void post(boolean willPoll) {
    if (willPoll) {
      engine.callerReturns(true);
      transmitPosted();
      engine.callerReturns(false);
    } else {
      flush();
    }
  }

  /**
   * For a thread that has just posted what may wait. If something has waited long enough, it takes
   * in what has arrived, too: a thread that posts and never polls would not know that all is
   * acknowledged.
   */
  public void hold() {
    try {
      if (engine.failure() == null) {
        nowNs = port.nowNs();
        engine.hold(nowNs);
        if (Deadlines.isDue(engine.heldUntilNs(), nowNs)) {
          receive();
          flush();
        }
      } else {
        flushPosted();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  /** The sending half of a turn: what was published, and what is due, is sent at once. */
  public void flush() {
    engine.releaseAcks();
    transmitPosted();
  }

  private void transmitPosted() {
    try {
      if (engine.failure() == null) {
        nowNs = port.nowNs();
        engine.handleDoorbells(nowNs);
        transmit();
      } else {
        flushPosted();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void fail(Throwable defect) {
    thrown = defect;
    engine.fail(defect);
  }

  /**
   * Throws what was thrown inside a turn since the last call. For a virtual network: a defect shows
   * where a test has caused it.
   */
  public void throwFailure() {
    Throwable defect = thrown;
    thrown = null;
    if (defect instanceof Error error) {
      throw error;
    }
    if (defect != null) {
      throw (RuntimeException) defect;
    }
  }

  private void flushPosted() {
    engine.giveUp(engine.failure()); // it may be another engine that has failed
    engine.handleDoorbells(port.nowNs());
    port.receive(discarded, RECEIVE_BUDGET);
  }

  private void transmit() {
    for (int i = 0; i < TRAINS_PER_TURN && engine.pollTransmit(nowNs, train) > 0; i++) {
      port.send(train);
    }
  }
}
