package org.roce4j.drive;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.Port;
import org.roce4j.port.PortCapabilities;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;

/** A port whose arrivals, time and events a test decides. */
final class PlayedPort implements Port {
  static final Gid HERE = Gid.parse("10.0.0.1");
  static final Gid PEER = Gid.parse("10.0.0.9");

  final AtomicInteger sent = new AtomicInteger();

  /** The sleeps that driving threads have requested, ns. */
  final List<Long> sleeps = new ArrayList<>();

  /** The time, ns. */
  final AtomicLong clock = new AtomicLong(1_000_000);

  /** A thread that sleeps gets the time that it has asked for, instead of being woken. */
  volatile boolean timePasses;

  final AtomicInteger wakeups = new AtomicInteger();
  final AtomicInteger closes = new AtomicInteger();

  final AtomicInteger looks = new AtomicInteger();

  private volatile boolean asleep;

  /** Runs once, when the port is asked for arrivals, and when it is asked for the time. */
  volatile Runnable whenAsked;

  volatile Runnable whenTimed;

  /** Runs whenever the port has sent a train. */
  volatile Runnable whenSent = () -> {};

  /** Runs when the background thread begins, and when the port is closed. */
  volatile Runnable whenServed = () -> {};

  volatile Runnable whenClosed = () -> {};

  /** The time of arrivals, ns; 0: that of {@link #clock}. */
  long arrivedNs;

  /** How often the time of arrivals was asked for. */
  int arrivalsTimed;

  /** The packets that the port hands over when it is asked. */
  int mostAtOnce = Integer.MAX_VALUE;

  /** The traffic class of packets that arrive from now on. */
  int marks;

  private final boolean anyThread;
  private final int maxTrain;
  private final Queue<Inbound> arriving = new ConcurrentLinkedQueue<>();
  private final Semaphore woken = new Semaphore(0);

  PlayedPort(boolean anyThread, int maxTrain) {
    this.anyThread = anyThread;
    this.maxTrain = maxTrain;
  }

  /** A packet of the peer arrives, without payload. */
  void arrives(Opcode opcode, int destQp, int psn, int aeth) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(64);
    Bth.put(buffer, 0, opcode.code(), false, 0, 0xffff, destQp, !opcode.response(), psn);
    if (opcode.hasAeth()) {
      buffer.putInt(opcode.aethAt(), aeth);
    }
    arriving.add(
        new Inbound()
            .source(PEER.high(), PEER.low(), 4791)
            .local(HERE.high(), HERE.low())
            .network(marks, 64)
            .payload(buffer, MemorySegment.ofBuffer(buffer), 0, OutboundPacket.size(opcode, 0)));
  }

  /** Whether a thread sleeps here. */
  boolean hasSleeper() {
    return asleep;
  }

  List<Long> sleepsSoFar() {
    synchronized (sleeps) {
      return List.copyOf(sleeps);
    }
  }

  /** Whether the last sleep ends at the timer of a request that has just been sent. */
  boolean sleepsUntilATimer() {
    long last = sleepsSoFar().getLast();
    return last > 0 && last <= PlayedDevice.ACK_TIMEOUT_NS;
  }

  boolean hasArrivals() {
    return !arriving.isEmpty();
  }

  @Override
  public PortCapabilities capabilities() {
    return new PortCapabilities(
        "played", anyThread, maxTrain, IdentificationRule.ZERO, true, true, true, false);
  }

  @Override
  public int receive(DatagramSink sink, int budget) {
    looks.incrementAndGet();
    Runnable meanwhile = whenAsked;
    whenAsked = null;
    if (meanwhile != null) {
      meanwhile.run();
    }
    int count = 0;
    while (count < mostAtOnce && !arriving.isEmpty()) {
      sink.datagram(arriving.poll());
      count++;
    }
    return count;
  }

  @Override
  public void send(Transmit train) {
    sent.addAndGet(train.segments());
    whenSent.run();
  }

  @Override
  public void await(long timeoutNs) {
    synchronized (sleeps) {
      sleeps.add(timeoutNs);
    }
    if (timePasses) {
      clock.addAndGet(timeoutNs);
      return;
    }
    asleep = true;
    while (!woken.tryAcquire()) {
      LockSupport.parkNanos(100_000); // an interruption ends no system call
    }
    asleep = false;
    woken.drainPermits();
  }

  @Override
  public void wakeup() {
    wakeups.incrementAndGet();
    woken.release();
  }

  @Override
  public long nowNs() {
    Runnable meanwhile = whenTimed;
    if (meanwhile != null) {
      meanwhile.run();
    }
    return clock.get();
  }

  @Override
  public long receivedNs() {
    arrivalsTimed++;
    return arrivedNs == 0 ? clock.get() : arrivedNs;
  }

  @Override
  public Counters counters() {
    throw new UnsupportedOperationException("nothing is counted here");
  }

  @Override
  public void join(Gid group, Gid own) {}

  @Override
  public void leave(Gid group, Gid own) {}

  @Override
  public void close() {
    closes.incrementAndGet();
    whenClosed.run();
  }

  @Override
  public void adopt() {
    whenServed.run();
  }

  @Override
  public void wakePunctually() {
    whenServed.run();
  }
}
