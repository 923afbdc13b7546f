package org.roce4j.port.fault;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.port.IcrcSealer;
import org.roce4j.port.Port;
import org.roce4j.port.TappedPort;

/**
 * Makes what another port sends and receives suffer a {@link FaultPlan}. A train of which some
 * datagrams are befallen goes on as the trains that are left of it.
 *
 * <p>What is kept back is released by the calls that drive the port, and {@link #await} ends in
 * time for it; what is kept back when the port closes is lost. On a virtual network, where nobody
 * waits, delays belong to the network.
 *
 * <p>Threads: as the port below.
 */
public final class FaultPort extends TappedPort {
  /** What is kept back at once at most; what is beyond passes. */
  static final int MOST_HELD = 4096;

  /** How long a reordered datagram waits for others that overtake it. */
  static final long REORDER_PATIENCE_NS = 10_000_000;

  private static final int MOST_PATHS = 1024;
  private static final int CONGESTION_EXPERIENCED = 3;
  private static final int SHORTEST = 4;

  private final FaultInjector injector;
  private final Transmit stage;
  private final FaultAction[] actions = new FaultAction[Transmit.MAX_SEGMENTS];
  private final List<HeldDatagram> held = new ArrayList<>();
  private final ArrayDeque<HeldDatagram> spare = new ArrayDeque<>();
  private final Map<Path, Path> marked = new IdentityHashMap<>();
  private final Inbound released = new Inbound();
  private int delivered;
  private boolean delivering;
  private long passedOut;
  private long passedIn;

  /** When the next one is to be released; read by the thread that waits. */
  private volatile long nextDueNs = Deadlines.NEVER;

  public FaultPort(Port port, FaultPlan plan) {
    super(port);
    injector = new FaultInjector(plan);
    stage =
        new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), port.capabilities().maxTrain());
  }

  /** What has befallen so far. */
  public FaultInjector injector() {
    return injector;
  }

  @Override
  public void send(Transmit train) {
    boolean untouched = true;
    int at = 0;
    for (int k = 0; k < train.segments(); k++) {
      int size = train.sizeOf(k);
      actions[k] = injector.decide(FaultDirection.OUT, train.buffer(), at, size);
      untouched &= actions[k] == null;
      at += size;
    }
    if (untouched) {
      port.send(train);
      passedOut += train.segments();
    } else {
      sendWhatIsLeft(train);
    }
    release();
  }

  private void sendWhatIsLeft(Transmit train) {
    flush();
    int at = 0;
    for (int k = 0; k < train.segments(); k++) {
      int size = train.sizeOf(k);
      send(train, at, size, actions[k]);
      at += size;
    }
    flush();
  }

  private void send(Transmit train, int at, int size, FaultAction action) {
    Path path = train.path();
    int hint = train.sourcePortHint();
    ByteBuffer buffer = train.buffer();
    if (action == null) {
      put(path, hint, buffer, at, size);
      return;
    }
    switch (action.kind()) {
      case DROP -> {}
      case DUPLICATE -> {
        for (long i = 0; i <= action.amount(); i++) {
          put(path, hint, buffer, at, size);
        }
      }
      case DELAY, REORDER -> {
        HeldDatagram datagram = hold(action, passedOut);
        if (datagram == null) {
          put(path, hint, buffer, at, size);
        } else {
          datagram.copy(buffer, at, size);
          datagram.path = path;
          datagram.sourcePortHint = hint;
        }
      }
      case CORRUPT_PAYLOAD -> {
        int staged = put(path, hint, buffer, at, size);
        injector.damage(stage.buffer(), staged, size, action.amount());
        stage.spoil(stage.segments() - 1);
      }
      case CORRUPT_ICRC -> {
        put(path, hint, buffer, at, size);
        stage.spoil(stage.segments() - 1);
      }
      case TRUNCATE ->
          put(path, hint, buffer, at, (int) Math.max(SHORTEST, size - action.amount()));
      case MARK_ECN -> put(marked(path), hint, buffer, at, size);
    }
  }

  /** Adds a datagram to what is about to be sent, and says where it is. */
  private int put(Path path, int hint, ByteBuffer buffer, int at, int size) {
    int to = stage.claim(path, hint, size);
    if (to < 0) {
      flush();
      to = stage.claim(path, hint, size);
    }
    stage.buffer().put(to, buffer, at, size);
    stage.commit(size);
    passedOut++;
    return to;
  }

  private void flush() {
    if (!stage.isEmpty()) {
      port.send(stage);
      stage.clear();
    }
  }

  private Path marked(Path path) {
    Path known = marked.get(path);
    if (known == null) {
      if (marked.size() == MOST_PATHS) {
        marked.clear();
      }
      known =
          new Path(
              path.sgidIndex(),
              path.localHigh(),
              path.localLow(),
              path.remoteHigh(),
              path.remoteLow(),
              path.trafficClass() | CONGESTION_EXPERIENCED,
              path.hopLimit());
      marked.put(path, known);
    }
    return known;
  }

  private HeldDatagram hold(FaultAction action, long passed) {
    if (held.size() == MOST_HELD) {
      return null;
    }
    HeldDatagram datagram = spare.isEmpty() ? new HeldDatagram() : spare.poll();
    boolean reorder = action.kind() == FaultAction.Kind.REORDER;
    datagram.dueNs = port.nowNs() + (reorder ? REORDER_PATIENCE_NS : action.amount());
    datagram.duePassed = reorder ? passed + action.amount() : Long.MAX_VALUE;
    held.add(datagram);
    return datagram;
  }

  @Override
  protected int take(int budget) {
    delivered = 0;
    release();
    super.take(Math.max(1, budget - delivered));
    release();
    return delivered;
  }

  @Override
  protected void received(Inbound in) {
    FaultAction action = injector.decide(FaultDirection.IN, in.buffer(), in.at(), in.length());
    if (action == null) {
      deliver(in);
      return;
    }
    switch (action.kind()) {
      case DROP -> {}
      case DUPLICATE -> {
        for (long i = 0; i <= action.amount(); i++) {
          deliver(in);
        }
      }
      case DELAY, REORDER -> {
        HeldDatagram datagram = hold(action, passedIn);
        if (datagram == null) {
          deliver(in);
        } else {
          datagram.copy(in);
        }
      }
      case CORRUPT_PAYLOAD -> {
        injector.damage(in.buffer(), in.at(), in.length(), action.amount());
        deliver(worsen(in));
      }
      case CORRUPT_ICRC -> {
        if (in.length() >= SHORTEST) {
          IcrcSealer.spoil(in.buffer(), in.at(), in.length());
        }
        deliver(worsen(in));
      }
      case TRUNCATE -> {
        int length = (int) Math.max(Math.min(SHORTEST, in.length()), in.length() - action.amount());
        deliver(worsen(in.payload(in.buffer(), in.memory(), in.at(), length)));
      }
      case MARK_ECN ->
          deliver(
              in.network(Math.max(in.trafficClass(), 0) | CONGESTION_EXPERIENCED, in.hopLimit()));
    }
  }

  /** The port below has judged before the damage was done. */
  private Inbound worsen(Inbound in) {
    if (in.icrc() == IcrcVerdict.RIGHT || in.icrc() == IcrcVerdict.SOLVED) {
      port.counters().increment(Counter.ICRC_ERROR);
      in.icrc(IcrcVerdict.WRONG);
    }
    return in;
  }

  private void deliver(Inbound in) {
    delivered++;
    passedIn++;
    delivering = true;
    try {
      handOver(in);
    } finally {
      delivering = false;
    }
  }

  /** Lets go what is due: sends it, or hands it over if somebody is receiving. */
  private void release() {
    if (held.isEmpty()) {
      return;
    }
    long now = port.nowNs();
    long nextDue = Deadlines.NEVER;
    boolean mayDeliver = receiving() && !delivering;
    // By index: what is handed over may be answered, and the answer be kept back, at once.
    for (int i = 0; i < held.size(); ) {
      HeldDatagram datagram = held.get(i);
      boolean out = datagram.path != null;
      boolean due =
          Deadlines.isDue(datagram.dueNs, now)
              || (out ? passedOut : passedIn) >= datagram.duePassed;
      if (due && (out || mayDeliver)) {
        held.remove(i);
        letGo(datagram);
        spare.add(datagram);
      } else {
        nextDue = Deadlines.earlier(nextDue, datagram.dueNs);
        i++;
      }
    }
    flush();
    nextDueNs = nextDue;
  }

  private void letGo(HeldDatagram datagram) {
    if (datagram.path != null) {
      put(datagram.path, datagram.sourcePortHint, datagram.buffer(), 0, datagram.length());
    } else {
      datagram.restore(released);
      deliver(released);
    }
  }

  @Override
  public void await(long timeoutNs) {
    long due = Deadlines.left(nextDueNs, port.nowNs());
    port.await(Math.max(0, Math.min(timeoutNs, due)));
  }
}
