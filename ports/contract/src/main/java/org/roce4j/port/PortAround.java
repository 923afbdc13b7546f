package org.roce4j.port;

import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Gid;

/**
 * A decorator of a port: every call goes to the port below unless a subclass overrides it. A new
 * method of {@link Port} is forwarded here, once for all decorators.
 */
public abstract class PortAround implements Port {
  /** The port below. */
  protected final Port port;

  /** Decorates a port, and closes it when it is closed. */
  protected PortAround(Port port) {
    this.port = port;
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
  public void wakePunctually() {
    port.wakePunctually();
  }

  @Override
  public int receive(DatagramSink sink, int budget) {
    return port.receive(sink, budget);
  }

  @Override
  public void send(Transmit train) {
    port.send(train);
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
  public long receivedNs() {
    return port.receivedNs();
  }

  @Override
  public Counters counters() {
    return port.counters();
  }

  @Override
  public void join(Gid group, Gid own) {
    port.join(group, own);
  }

  @Override
  public void leave(Gid group, Gid own) {
    port.leave(group, own);
  }

  @Override
  public void add(Gid address) {
    port.add(address);
  }

  @Override
  public void remove(Gid address) {
    port.remove(address);
  }

  @Override
  public void close() {
    port.close();
  }
}
