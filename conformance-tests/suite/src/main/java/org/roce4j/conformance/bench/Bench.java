package org.roce4j.conformance.bench;

import java.lang.foreign.Arena;
import java.util.Set;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.backend.Link;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MigState;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Two stations and a link between them, for one row. Used by one thread. */
public final class Bench implements AutoCloseable {
  /** Long enough for anything that does happen. */
  public static final long SOON_NS = 1_000_000_000L;

  /** Every remote right. */
  public static final int ALL_REMOTE =
      AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;

  /** The first PSN in either direction, unless said otherwise: it soon wraps. */
  public static final int FIRST_PSN = 0xfffff0;

  /** One second, eight times: a peer that does not answer for that long has no processor. */
  private static final int PATIENT_TIMEOUT = 18;

  private final Link link;
  private final Set<Capability> capabilities;
  private final Arena arena = Arena.ofShared();
  private final Station near;
  private final Station far;

  /** Stations at both ends of the link, which the bench closes. */
  public Bench(Link link, Set<Capability> capabilities) {
    this.link = link;
    this.capabilities = capabilities;
    near = new Station(link.near(), link.nearAddress(), link.nearGidIndex(), arena);
    far = new Station(link.far(), link.farAddress(), link.farGidIndex(), arena);
  }

  /** The end that most rows are about. */
  public Station near() {
    return near;
  }

  /** The other end. */
  public Station far() {
    return far;
  }

  /** A device with two ports, which the far station reaches by either. */
  public Station twoPorts() {
    Context context = link.twoPorts();
    return new Station(context, context.queryGid(1, 0), 0, arena);
  }

  /** The devices, and the time between them. */
  public Link link() {
    return link;
  }

  /** Whether the backend has it. */
  public boolean has(Capability capability) {
    return capabilities.contains(capability);
  }

  /**
   * Skips the rest of the row where the backend lacks it.
   *
   * @throws RowSkipped saying why
   */
  public void need(Capability capability) {
    if (!has(capability)) {
      throw new RowSkipped(capability.absence());
    }
  }

  /**
   * Skips the rest of the row where one of the devices does not claim a capability.
   *
   * @param capability of {@link org.roce4j.verbs.DeviceCapFlags}
   */
  public void needOfBoth(long capability) {
    near.need(capability);
    far.need(capability);
  }

  // ---- queue pairs in a state

  /** A new queue pair of the near station in this state, without a real peer. */
  public QueuePair near(QpType type, QpState state) {
    return near(type, state, values());
  }

  /** A new queue pair of the near station in this state, with these attributes. */
  public QueuePair near(QpType type, QpState state, QpAttr values) {
    QueuePair qp = near.qp(type);
    bring(near, qp, state, values);
    return qp;
  }

  /** Attributes for a near queue pair whose peer, of the far station, does not exist. */
  public QpAttr values() {
    AhAttr path = near.pathTo(far);
    return attributes().ahAttr(path).altAhAttr(path).destQpNum(0x17);
  }

  /** Legal values for every attribute of a queue pair; a row changes those it is about. */
  public static QpAttr attributes() {
    return QpBringUp.attributes()
        .timeout(PATIENT_TIMEOUT)
        .pathMtu(Mtu.MTU_1024)
        .sqPsn(FIRST_PSN)
        .rqPsn(FIRST_PSN)
        .minRnrTimer(1)
        .maxRdAtomic(4)
        .maxDestRdAtomic(4)
        .curQpState(QpState.RTS)
        .enSqdAsyncNotify(true)
        .pathMigState(MigState.MIGRATED)
        .cap(new QpCapabilities(1, 1, 1, 1, 0));
  }

  /** Walks a queue pair from RESET to a state on the shortest way. */
  public void bring(Station station, QueuePair qp, QpState state, QpAttr values) {
    switch (state) {
      case RESET, INIT, RTR, RTS -> QpBringUp.to(state, qp, values);
      case ERR -> {
        QpBringUp.to(QpState.INIT, qp, values);
        qp.modify(new QpAttr().qpState(QpState.ERR));
      }
      case SQD -> {
        QpBringUp.toRts(qp, values);
        qp.modify(new QpAttr().qpState(QpState.SQD));
        // Until then it takes no attributes; a kernel's own threads drain it.
        link.await(() -> !qp.query().sqDraining(), SOON_NS);
      }
      default -> {
        QpBringUp.toRts(qp, values);
        breakSendQueue(station, qp, values);
      }
    }
  }

  /** A send with an unknown key: SQE (UC, UD). */
  private void breakSendQueue(Station station, QueuePair qp, QpAttr values) {
    SendRequestList bad =
        station.send(0, WrOpcode.SEND).sge(station.region().address(), 8, noKey(station));
    if (qp.qpType() == QpType.UD) {
      bad.ud(station.ahTo(station == near ? far : near), 0x17, values.qkey());
    }
    Expect.posts(qp, bad);
    Expect.equal("status of a bad lkey", WcStatus.LOC_PROT_ERR, completion(station).status());
    becomes(qp, QpState.SQE);
  }

  /** A key that no region or window of the station has. */
  public static int noKey(Station station) {
    return station.region().lkey() ^ 0x00ffff00;
  }

  /** Connects two queue pairs, and brings both to RTS. */
  public void connect(QueuePair nearQp, QueuePair farQp, QpAttr nearValues, QpAttr farValues) {
    bring(near, nearQp, QpState.RTS, nearValues.ahAttr(near.pathTo(far)).destQpNum(farQp.qpNum()));
    bring(far, farQp, QpState.RTS, farValues.ahAttr(far.pathTo(near)).destQpNum(nearQp.qpNum()));
  }

  /** Two connected queue pairs in RTS; UD: two that can be spoken to. */
  public Pair pair(QpType type, QpAttr nearValues, QpAttr farValues) {
    Pair pair = new Pair(near.qp(type), far.qp(type));
    connect(pair.near(), pair.far(), nearValues, farValues);
    return pair;
  }

  /** A connected pair with the attributes of most rows. */
  public Pair pair(QpType type) {
    return pair(type, attributes(), attributes());
  }

  // ---- events and completions

  /** The next completion of a station. */
  public BenchCompletion completion(Station station) {
    return completion(station, SOON_NS);
  }

  /** The next completion of a station; fails if none comes in time. */
  public BenchCompletion completion(Station station, long timeoutNs) {
    BenchCompletion[] found = new BenchCompletion[1];
    link.await(() -> (found[0] = station.poll()) != null, timeoutNs);
    Expect.that(found[0] != null, "no completion came");
    return found[0];
  }

  /** The next completion is of this request and has this status. */
  public BenchCompletion completes(Station station, long wrId, WcStatus status) {
    BenchCompletion completion = completion(station);
    Expect.equal("wr_id", wrId, completion.wrId());
    Expect.equal("the completion's status", status, completion.status());
    return completion;
  }

  /** No completion is there now. */
  public void nothing(Station station) {
    BenchCompletion completion = station.poll();
    Expect.that(completion == null, "unexpected completion: " + completion);
  }

  /** The queue pair gets into this state. */
  public void becomes(QueuePair qp, QpState state) {
    link.await(() -> qp.state() == state, SOON_NS);
    Expect.equal("the queue pair's state", state, qp.state());
  }

  /** The next asynchronous event of a station is of this type; it is acknowledged. */
  public AsyncEvent event(Station station, EventType type) {
    AsyncEvent[] found = new AsyncEvent[1];
    link.await(() -> (found[0] = station.context().pollAsyncEvent()) != null, SOON_NS);
    Expect.that(found[0] != null, "no asynchronous event came, the specification says " + type);
    found[0].ack();
    Expect.equal("the asynchronous event", type, found[0].type());
    return found[0];
  }

  /** No asynchronous event is there now. */
  public void noEvent(Station station) {
    AsyncEvent event = station.context().pollAsyncEvent();
    if (event != null) {
      event.ack();
    }
    Expect.that(event == null, () -> "unexpected asynchronous event " + event.type());
  }

  @Override
  public void close() {
    link.close();
    arena.close();
  }

  /** Two queue pairs that are each other's peer. */
  public record Pair(QueuePair near, QueuePair far) {}
}
