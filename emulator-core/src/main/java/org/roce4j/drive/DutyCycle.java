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
 * per half that does work. Used by the engine's owner, in the same way on a socket and on the
 * fabric.
 *
 * <p>Turns throw no exceptions. An exception inside a turn is a defect: the engine has then
 * {@linkplain Engine#fail failed}, and later turns only flush posted requests and discard arrivals.
 */
public final class DutyCycle {
  /**
   * The greatest number of datagrams received per turn, so that answers to them are sent in time.
   */
  private static final int RECEIVE_BUDGET = 256;

  /**
   * Every fourth turn of polls checks the timers; a power of two. Reading the clock costs a tenth
   * of an idle turn.
   */
  private static final int CLOCK_EVERY = 4;

  /** The greatest number of trains sent per turn, so that arrivals do not overrun the socket. */
  private static final int TRAINS_PER_TURN = 32;

  /** The engine that takes the turns. */
  private final Engine engine;

  /** The port of the engine. */
  private final Port port;

  /** The train to send, which the engine fills. */
  private final Transmit train;

  /** Passes arrivals to the engine. */
  private final DatagramSink sink;

  /** Discards arrivals after the engine has failed. */
  private final DatagramSink discarded = inbound -> {};

  /** The last reading of the port's clock. */
  private long nowNs;

  /** Whether {@link #nowNs} is the time of the batch being received. */
  private boolean arrivalsTimed;

  /** The number of turns that polled. */
  private int polls;

  /** The number of times that the port was asked for datagrams. */
  private int reads;

  /** The exception of the last turns, until {@link #throwFailure} throws it. */
  private Throwable thrown;

  public DutyCycle(Engine engine, Port port) {
    this.engine = engine;
    this.port = port;
    train =
        new Transmit(
            ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), port.capabilities().maxTrain());
    sink = new Arrivals();
  }

  /** Passes received datagrams to the engine. */
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

    @Override
    public boolean readsNetworkFields() {
      return engine.readsNetworkFields();
    }
  }

  /**
   * Takes a whole turn: sends everything that is due, then receives. Answers to arrivals wait for
   * the next turn or for the application's next post, whichever comes first. Thus a reply and the
   * acknowledgement travel in one train, and a polling thread gets its completion before the system
   * call that sends the acknowledgement.
   *
   * @return datagrams received
   */
  public int run() {
    return run(true);
  }

  /**
   * Takes a turn of a thread that polls and will poll again at once. It checks the timers only
   * every fourth time, and after a reply whose acknowledgement follows it, so that the
   * acknowledgement is sent while the peer is busy.
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
      // Datagrams of other engines are handled now, however long ago the last turn was.
      nowNs = port.nowNs();
    }
    if (rung) {
      engine.handleDoorbells(nowNs);
    }
    int received = 0;
    if (timers && timerIsDue()) {
      // An answer that has already arrived is in time, even if this turn is late.
      received = receiveAll();
      if (timerIsDue()) {
        engine.handleTimeout(nowNs);
      }
    }
    if (engine.hasOutput()) {
      if (!timers && !rung) {
        nowNs = port.nowNs();
      }
      transmit();
    }
    return received + receive();
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
    reads++;
    return port.receive(sink, RECEIVE_BUDGET);
  }

  private boolean timerIsDue() {
    return Deadlines.isDue(engine.nextTimeout(), nowNs);
  }

  /** The number of {@linkplain #poll turns that polled}, modulo 2^32. */
  int polls() {
    return polls;
  }

  /** The number of times, modulo 2^32, that turns have asked the port for datagrams. */
  int reads() {
    return reads;
  }

  /**
   * Takes the sending half of a turn, for a thread that has just posted.
   *
   * @param willPoll whether that thread will poll, so that an acknowledgement that is due may wait
   *     briefly for the answer
   */
  public void post(boolean willPoll) {
    if (willPoll) {
      engine.callerReturns(true);
      transmitPosted(true);
      engine.callerReturns(false);
    } else {
      flush();
    }
  }

  /**
   * Called by a thread that has just posted a request that may wait. If a request has waited long
   * enough, it also receives, because a thread that posts and never polls would not notice that
   * everything is acknowledged.
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

  /** Takes the sending half of a turn: sends published work and everything that is due. */
  public void flush() {
    engine.releaseAcks();
    transmitPosted(false);
  }

  /**
   * Sends published work.
   *
   * @param reply whether a peer probably waits for it. The first train then leaves before the clock
   *     is read and timers are set, because the peer works meanwhile
   */
  private void transmitPosted(boolean reply) {
    try {
      if (engine.failure() == null) {
        boolean early = reply && !engine.needsTime();
        if (!early) {
          nowNs = port.nowNs();
        }
        engine.handleDoorbells(nowNs);
        if (early) {
          transmitReply();
        }
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
   * Throws the exception that occurred inside a turn since the last call. Used on a virtual
   * network, so that a defect shows in the test that causes it.
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
    engine.giveUp(engine.failure()); // another engine may have failed
    engine.handleDoorbells(port.nowNs());
    port.receive(discarded, RECEIVE_BUDGET);
  }

  private void transmitReply() {
    if (engine.pollReply(nowNs, train) > 0) {
      port.send(train);
    }
    nowNs = port.nowNs();
  }

  private void transmit() {
    for (int i = 0; i < TRAINS_PER_TURN && engine.pollTransmit(nowNs, train) > 0; i++) {
      port.send(train);
    }
  }
}
