package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.roce4j.engine.Planted;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.Port;
import org.roce4j.port.PortCapabilities;
import org.roce4j.port.PortOptions;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.Gid;

/** A port of a device on sockets that has none: nothing arrives, and what is sent is counted. */
final class PlayedSocket implements Port {
  /** The ports of all devices so far. */
  static final List<PlayedSocket> OPENED = new CopyOnWriteArrayList<>();

  /** What a port throws that is asked for its abilities; null: nothing. */
  static volatile Planted fails;

  final PortOptions options;
  final List<Gid> addresses;
  final AtomicInteger closes = new AtomicInteger();
  final AtomicInteger sent = new AtomicInteger();
  private final Counters counters = new Counters();
  private final Semaphore woken = new Semaphore(0);

  private PlayedSocket(PortOptions options) {
    this.options = options;
    addresses = new CopyOnWriteArrayList<>(options.addresses());
  }

  /** The service file of a test names it. */
  public static final class Provider implements PortProvider {
    @Override
    public String name() {
      return "played";
    }

    @Override
    public int priority() {
      return 1;
    }

    @Override
    public Optional<String> unavailable() {
      return Optional.empty();
    }

    @Override
    public Port open(PortOptions options) {
      PlayedSocket socket = new PlayedSocket(options);
      OPENED.add(socket);
      return socket;
    }

    @Override
    public List<Port> openSeveral(PortOptions options, int count) {
      return new ArrayList<>(Stream.generate(() -> open(options)).limit(count).toList());
    }
  }

  @Override
  public PortCapabilities capabilities() {
    Planted failure = fails;
    if (failure != null) {
      failure.raise();
    }
    return new PortCapabilities("played", true, 1, IdentificationRule.ZERO, true, true, true, true);
  }

  @Override
  public int receive(DatagramSink sink, int budget) {
    return 0;
  }

  @Override
  public void send(Transmit train) {
    sent.addAndGet(train.segments());
  }

  @Override
  public void await(long timeoutNs) {
    woken.acquireUninterruptibly();
    woken.drainPermits();
  }

  @Override
  public void wakeup() {
    woken.release();
  }

  @Override
  public long nowNs() {
    return System.nanoTime();
  }

  @Override
  public Counters counters() {
    return counters;
  }

  @Override
  public void join(Gid group, Gid own) {}

  @Override
  public void leave(Gid group, Gid own) {}

  @Override
  public void add(Gid address) {
    addresses.add(address);
  }

  @Override
  public void remove(Gid address) {
    addresses.remove(address);
  }

  @Override
  public void close() {
    closes.incrementAndGet();
    woken.release();
  }
}
