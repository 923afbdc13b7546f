package org.roce4j.port.fault;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Ecn;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.port.FaultWitness;
import org.roce4j.port.Port;
import org.roce4j.port.TappedPort;
import org.roce4j.wire.GidAddress;

/**
 * Applies a {@link FaultPlan} to the datagrams that another port sends and receives. If faults
 * remove datagrams from a train, the rest is sent in shorter trains.
 *
 * <p>Calls that drive the port release the datagrams that it holds back; {@link #await} ends in
 * time for the next one. Datagrams still held when the port closes are lost. On a virtual network,
 * whose ports do not wait, plans belong to the network.
 *
 * <p>Threads: as the port below.
 */
public final class FaultPort extends TappedPort {
  /** The greatest number of datagrams held back at a time; further ones are not held back. */
  static final int MOST_HELD = 4096;

  private static final int MOST_PATHS = 1024;
  private static final int IPV4_AND_UDP = 28;
  private static final int IPV6_AND_UDP = 48;

  private final FaultInjector injector;
  private final FaultWitness witness;
  private final Transmit stage;
  private final Fate[] fates = new Fate[Transmit.MAX_SEGMENTS];
  private final Fate fate = new Fate();
  private final List<HeldDatagram> held = new ArrayList<>();
  private final ArrayDeque<HeldDatagram> spare = new ArrayDeque<>();
  private final Map<Path, Path> marked = new IdentityHashMap<>();
  private final Inbound released = new Inbound();
  private final ByteBuffer forged = ByteBuffer.allocateDirect(Forgery.MOST_BYTES);
  private final HeldDatagram forgedIn = new HeldDatagram();
  private int delivered;
  private boolean delivering;
  private long passedOut;
  private long passedIn;

  /** Time of the next release. The thread that waits reads it. */
  private volatile long nextDueNs = Deadlines.NEVER;

  /**
   * Decorates a port. If that is a {@link FaultWitness}, such as a capture, it is informed of
   * faults.
   */
  public FaultPort(Port port, FaultPlan plan) {
    this(port, plan, null);
  }

  /**
   * Decorates a port and records faults in a log.
   *
   * @param log records datagrams and hits; null: none
   */
  public FaultPort(Port port, FaultPlan plan, FaultLog log) {
    super(port);
    witness = port instanceof FaultWitness beneath ? beneath : FaultWitness.NONE;
    injector = new FaultInjector(plan, port.nowNs(), log);
    Arrays.setAll(fates, k -> new Fate());
    stage =
        new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), port.capabilities().maxTrain());
  }

  /** The injector, which counts the faults applied. */
  public FaultInjector injector() {
    return injector;
  }

  @Override
  public void send(Transmit train) {
    long nowNs = port.nowNs();
    int overhead = train.path().ipv4() ? IPV4_AND_UDP : IPV6_AND_UDP;
    boolean untouched = true;
    int at = 0;
    for (int k = 0; k < train.segments(); k++) {
      int size = train.sizeOf(k);
      fates[k].begin(nowNs);
      injector.decide(
          FaultDirection.OUT, train.buffer(), at, size, size + overhead, nowNs, fates[k]);
      untouched &= fates[k].untouched(nowNs);
      at += size;
    }
    if (untouched) {
      port.send(train);
      passedOut += train.segments();
    } else {
      sendWhatIsLeft(train, nowNs);
    }
    release();
  }

  private void sendWhatIsLeft(Transmit train, long nowNs) {
    int at = 0;
    for (int k = 0; k < train.segments(); k++) {
      int size = train.sizeOf(k);
      String told = told(fates[k], nowNs);
      for (int i = 0; i < fates[k].forgeries(); i++) {
        forge(train, at, size, fates[k].forgery(i));
      }
      if (fates[k].lostBy() == null) {
        send(train, at, size, fates[k], nowNs, told);
      } else if (told != null) {
        flush();
        witness.lost(train.path(), train.buffer(), at, size, told);
      }
      at += size;
    }
    flush();
  }

  private void forge(Transmit train, int at, int size, FaultAction action) {
    int length = Forgery.write(action, train.buffer(), at, size, forged, 0);
    if (length > 0) {
      put(train.path(), train.sourcePortHint(), forged, 0, length);
    }
  }

  /** The text for the witness; null: there is none to inform. */
  private String told(Fate fate, long nowNs) {
    return witness == FaultWitness.NONE || fate.untouched(nowNs) ? null : fate.told(nowNs);
  }

  private void send(Transmit train, int at, int size, Fate fate, long nowNs, String told) {
    Path path = fate.congested() ? marked(train.path()) : train.path();
    int left = size - fate.cutBytes(size);
    long inOrderNs = fate.arrivalNs() - nowNs;
    for (int i = 0; i < fate.copies(); i++) {
      send(train, path, at, left, fate, inOrderNs + fate.copyLaterNs(i), 0, told);
    }
    send(train, path, at, left, fate, inOrderNs + fate.laterNs(), fate.overtakenBy(), told);
  }

  private void send(
      Transmit train,
      Path path,
      int at,
      int size,
      Fate fate,
      long lateNs,
      long overtakenBy,
      String told) {
    int hint = train.sourcePortHint();
    HeldDatagram datagram = lateNs > 0 ? hold(lateNs, overtakenBy, passedOut) : null;
    if (datagram == null) {
      int staged = put(path, hint, train.buffer(), at, size);
      boolean damaged = FaultInjector.damage(fate, stage.buffer(), staged, size) > 0;
      if (damaged) {
        stage.spoil(stage.segments() - 1);
      }
      tell(damaged ? alsoDamaged(told, fate) : told);
    } else {
      datagram.copy(train.buffer(), at, size);
      datagram.spoiled = FaultInjector.damage(fate, datagram.buffer(), 0, size) > 0;
      datagram.path = path;
      datagram.sourcePortHint = hint;
      datagram.told = datagram.spoiled ? alsoDamaged(told, fate) : told;
    }
  }

  private static String alsoDamaged(String told, Fate fate) {
    return told == null ? null : (told.isEmpty() ? "" : told + "; ") + damaged(fate);
  }

  private static String damaged(Fate fate) {
    return "damaged by " + fate.reason(Fate.DAMAGING);
  }

  /** The witness takes the text for the datagram sent last. */
  private void tell(String told) {
    if (told != null) {
      flush();
      if (!told.isEmpty()) {
        witness.befell(told);
      }
    }
  }

  /**
   * Adds a datagram to the staged train.
   *
   * @return its index in the stage's buffer
   */
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
              Ecn.marked(path.trafficClass()),
              path.hopLimit());
      marked.put(path, known);
    }
    return known;
  }

  /** Holds a datagram back; null if too many are held already. */
  private HeldDatagram hold(long lateNs, long overtakenBy, long passed) {
    if (held.size() == MOST_HELD) {
      return null;
    }
    HeldDatagram datagram = spare.isEmpty() ? new HeldDatagram() : spare.poll();
    datagram.dueNs = port.nowNs() + lateNs;
    datagram.duePassed = overtakenBy > 0 ? passed + overtakenBy : Long.MAX_VALUE;
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
    long nowNs = port.nowNs();
    boolean ipv4 = GidAddress.isIpv4Mapped(in.localHigh(), in.localLow());
    int packetBytes = in.length() + (ipv4 ? IPV4_AND_UDP : IPV6_AND_UDP);
    fate.begin(nowNs);
    injector.decide(FaultDirection.IN, in.buffer(), in.at(), in.length(), packetBytes, nowNs, fate);
    tell(told(fate, nowNs));
    for (int i = 0; i < fate.forgeries(); i++) {
      forge(in, fate.forgery(i));
    }
    if (fate.lostBy() != null) {
      return;
    }
    int cut = fate.cutBytes(in.length());
    if (cut > 0) {
      worsen(in.payload(in.buffer(), in.memory(), in.at(), in.length() - cut));
    }
    if (fate.congested()) {
      in.network(Ecn.marked(in.trafficClass()), in.hopLimit());
    }
    long inOrderNs = fate.arrivalNs() - nowNs;
    int copies = fate.copies();
    boolean apart = copies > 0 && fate.mayBeDamaged();
    for (int i = 0; i < copies; i++) {
      receive(in, inOrderNs + fate.copyLaterNs(i), 0, apart);
    }
    receive(in, inOrderNs + fate.laterNs(), fate.overtakenBy(), apart);
  }

  private void forge(Inbound in, FaultAction action) {
    int length = Forgery.write(action, in.buffer(), in.at(), in.length(), forgedIn.room(), 0);
    if (length > 0) {
      forgedIn.forged(in, length);
      forgedIn.restore(released);
      deliver(released);
    }
  }

  /**
   * Receives the datagram, or one copy of it.
   *
   * @param apart whether to copy the bytes first, because other copies share them and damage must
   *     not
   */
  private void receive(Inbound in, long lateNs, long overtakenBy, boolean apart) {
    boolean late = lateNs > 0;
    HeldDatagram datagram = late || apart ? hold(lateNs, overtakenBy, passedIn) : null;
    if (datagram == null) {
      if (FaultInjector.damage(fate, in.buffer(), in.at(), in.length()) > 0) {
        tell(witness == FaultWitness.NONE ? null : damaged(fate));
        worsen(in);
      }
      deliver(in);
      return;
    }
    datagram.copy(in);
    if (FaultInjector.damage(fate, datagram.buffer(), 0, datagram.length()) > 0) {
      datagram.worsen(port.counters());
    }
    if (!late) {
      held.remove(datagram);
      letGo(datagram);
      spare.add(datagram);
    }
  }

  /** Corrects the ICRC verdict and its counter, because the port below judged before the damage. */
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

  /**
   * Releases held datagrams that are due: sends them, or hands them over if {@link #receive} is
   * running.
   */
  private void release() {
    if (held.isEmpty()) {
      return;
    }
    long now = port.nowNs();
    long nextDue = Deadlines.NEVER;
    boolean mayDeliver = receiving() && !delivering;
    // An index, not an iterator: the receiver may answer at once, and the answer may be held back.
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
      if (datagram.spoiled) {
        stage.spoil(stage.segments() - 1);
      }
      tell(datagram.told);
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
