package org.roce4j.port;

import java.util.concurrent.atomic.AtomicBoolean;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Transmit;

/**
 * A port that can be taken down and brought up again, as a cable that is pulled: while it is down,
 * nothing is sent and what arrives is lost.
 */
public final class PortSwitch implements Port {
  private final Port port;
  private final AtomicBoolean up = new AtomicBoolean(true);
  private final DatagramSink lost = inbound -> {};

  public PortSwitch(Port port) {
    this.port = port;
  }

  /** Takes the port down or brings it up; any thread. */
  public void up(boolean value) {
    up.set(value);
  }

  public boolean isUp() {
    return up.get();
  }

  @Override
  public PortCapabilities capabilities() {
    return port.capabilities();
  }

  @Override
  public void adopt() {
    port.adopt();
  }

  @Override
  public int receive(DatagramSink sink, int budget) {
    if (up.getOpaque()) {
      return port.receive(sink, budget);
    }
    port.receive(lost, budget);
    return 0;
  }

  @Override
  public void send(Transmit train) {
    if (up.getOpaque()) {
      port.send(train);
    } else {
      port.counters().add(Counter.SEND_ERROR, train.segments());
    }
  }

  @Override
  public void await(long timeoutNs) {
    port.await(timeoutNs);
  }

  @Override
  public void wakeup() {
    port.wakeup();
  }

  @Override
  public long nowNs() {
    return port.nowNs();
  }

  @Override
  public Counters counters() {
    return port.counters();
  }

  @Override
  public void join(long groupHigh, long groupLow) {
    port.join(groupHigh, groupLow);
  }

  @Override
  public void leave(long groupHigh, long groupLow) {
    port.leave(groupHigh, groupLow);
  }

  @Override
  public void close() {
    port.close();
  }
}
