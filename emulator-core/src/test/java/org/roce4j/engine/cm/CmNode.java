package org.roce4j.engine.cm;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.time.Deadline;
import org.roce4j.engine.time.DeadlineHeap;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.PKey;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.CmPath;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.Rep;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.ServiceId;

/** A connection manager without network: its test carries the messages and moves the clock. */
final class CmNode implements CmHost {
  static final long SERVICE = ServiceId.of(ServiceId.TCP, 7471);
  static final long MS = 1_000_000;

  final int number;
  final ConnectionManager manager;
  private final RandomGenerator random;
  private final DeadlineHeap deadlines = new DeadlineHeap();
  private final Counters counters = new Counters();

  /** A node with the address 10.0.0.{@code number}. */
  CmNode(int number, long seed) {
    this.number = number;
    random = new SplittableRandom(seed);
    manager = new ConnectionManager(this);
  }

  /** A forged request. */
  static Req like(Req req, long caGuid, int qpn, CmPath primary) {
    return like(req, req.localId(), caGuid, qpn, primary, req.privateData());
  }

  /** A forged request of an id. */
  static Req like(Req req, int localId, long caGuid, int qpn, CmPath primary, Bytes privateData) {
    return PeerMessages.request(localId, req.serviceId(), caGuid, qpn, primary, privateData);
  }

  /** A path with other addresses and another ACK timeout code. */
  static CmPath path(
      CmPath p, long localHigh, long localLow, long remoteHigh, long remoteLow, int ackTimeout) {
    return new CmPath(
        p.localLid(),
        p.remoteLid(),
        localHigh,
        localLow,
        remoteHigh,
        remoteLow,
        p.flowLabel(),
        p.rate(),
        p.trafficClass(),
        p.hopLimit(),
        p.serviceLevel(),
        p.subnetLocal(),
        ackTimeout);
  }

  static long address(int number) {
    return GidAddress.ipv4Mapped(0x0A00_0000 | number);
  }

  @Override
  public long caGuid() {
    return 0x0200_0000_0000_0000L | number;
  }

  @Override
  public int gidIndex(long high, long low) {
    return high == 0 && low == address(number) ? 0 : -1;
  }

  @Override
  public boolean hasPartition(int pkey) {
    return PKey.samePartition(pkey, PKey.DEFAULT);
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public DeadlineHeap deadlines() {
    return deadlines;
  }

  @Override
  public Counters counters() {
    return counters;
  }

  Route routeTo(int peer) {
    return new Route(new Path(0, 0, address(number), 0, address(peer), 0, 64), 3, 17, 0);
  }

  static Offer offer(int qpn) {
    return new Offer(qpn, 4, 4, false, 7, 7, false, Bytes.of((byte) 42));
  }

  CmConnection connect(long nowNs, int peer, int qpn, ConnectionUser user) {
    return connect(nowNs, peer, qpn, Req.SERVICE_RC, user);
  }

  CmConnection connect(long nowNs, int peer, int qpn, int service, ConnectionUser user) {
    AddressHeader addresses = new AddressHeader(4, 50_000, 0, address(number), 0, address(peer));
    Offer plain = offer(qpn);
    Offer offer = new Offer(qpn, 4, 4, false, 7, 7, false, addresses.before(plain.privateData()));
    int extended = service == Req.SERVICE_EXTENDED ? Req.EXTENDED_XRC : 0;
    return manager.connect(nowNs, routeTo(peer), SERVICE, service, extended, offer, user);
  }

  void handle(long nowNs, int from, Mad mad) {
    ByteBuffer b = ByteBuffer.allocate(Mad.SIZE);
    mad.emit(b, 0);
    manager.handleMad(nowNs, b, 0, Mad.SIZE, 0, address(from), 0, address(number));
  }

  void handleTimeout(long nowNs) {
    int work = 0;
    for (Deadline due = deadlines.pollDue(nowNs); due != null; due = deadlines.pollDue(nowNs)) {
      due.owner().handleTimeout(nowNs);
      if (++work > 100_000) {
        throw CmOracle.Rule.CLOCK_ADVANCES.broken(due.owner());
      }
    }
  }

  /** Takes all messages that are to be sent. */
  List<Outgoing> sent() {
    List<Outgoing> all = new ArrayList<>();
    for (Outgoing next = manager.pollTransmit(); next != null; next = manager.pollTransmit()) {
      all.add(next);
    }
    return all;
  }

  /** The events of a user, in words. */
  static final class Told implements ConnectionUser {
    final List<String> words = new ArrayList<>();

    @Override
    public void replied(Rep reply) {
      words.add("replied");
    }

    @Override
    public void established() {
      words.add("established");
    }

    @Override
    public void rejected(Rej why) {
      words.add("rejected " + why.reason());
    }

    @Override
    public void unreachable() {
      words.add("unreachable");
    }

    @Override
    public void released(boolean unanswered) {
      words.add(unanswered ? "released unanswered" : "released");
    }

    @Override
    public void timeWaitOver() {
      words.add("over");
    }
  }

  /** Accepts every request for {@link #SERVICE}, up to a backlog, unless it is unfit for them. */
  static final class Listening implements Service {
    final List<CmConnection> connections = new ArrayList<>();
    final List<ServiceRequest> questions = new ArrayList<>();
    final Told told = new Told();
    int backlog = Integer.MAX_VALUE;
    boolean unfit;

    @Override
    public boolean hears(AddressHeader addresses) {
      return true;
    }

    @Override
    public Verdict requested(CmConnection connection, AddressHeader addresses) {
      if (unfit || connections.size() >= backlog) {
        return unfit ? Verdict.UNFIT : Verdict.FULL;
      }
      connection.user(told);
      connections.add(connection);
      return Verdict.TAKEN;
    }

    @Override
    public Verdict asked(ServiceRequest request, AddressHeader addresses) {
      if (unfit || questions.size() >= backlog) {
        return unfit ? Verdict.UNFIT : Verdict.FULL;
      }
      questions.add(request);
      return Verdict.TAKEN;
    }
  }
}
