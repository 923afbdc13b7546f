package org.roce4j.conformance.dialogue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.Port;
import org.roce4j.port.PortCapabilities;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;

/** A port where nothing arrives: it counts the datagrams sent, and the test sets its time. */
final class StillPort implements Port {
  static final Gid HERE = Gid.parse("10.0.0.1");
  static final Gid PEER = Gid.parse("10.0.0.9");

  /** The time, ns. */
  final AtomicLong clock;

  final CountDownLatch asleep = new CountDownLatch(1);
  final AtomicInteger wakeups = new AtomicInteger();
  int sent;

  private final long stepNs;
  private final Semaphore woken = new Semaphore(0);

  /**
   * @param clock the time, ns
   * @param stepNs time that passes whenever the clock is read
   */
  StillPort(long clock, long stepNs) {
    this.clock = new AtomicLong(clock);
    this.stepNs = stepNs;
  }

  /** A queue pair on the engine with this number, connected to {@link #PEER}. */
  static QueuePair inRts(Context context, int engine) {
    QueuePair qp =
        context.allocPd().createQp(new QpInitAttr().cq(context.createCq(4, null, null, engine)));
    QpBringUp.toRts(
        qp, QpBringUp.attributes(AhAttr.roce(PEER, 0), 17).qpAccessFlags(0).minRnrTimer(1));
    return qp;
  }

  @Override
  public PortCapabilities capabilities() {
    return new PortCapabilities("still", true, 1, IdentificationRule.ZERO, true, true, true, false);
  }

  @Override
  public int receive(DatagramSink sink, int budget) {
    return 0;
  }

  @Override
  public void send(Transmit train) {
    sent += train.segments();
  }

  @Override
  public void await(long timeoutNs) {
    asleep.countDown();
    woken.acquireUninterruptibly();
  }

  @Override
  public void wakeup() {
    wakeups.incrementAndGet();
    woken.release();
  }

  @Override
  public long nowNs() {
    return clock.addAndGet(stepNs);
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
  public void close() {}
}
