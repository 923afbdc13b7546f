package org.roce4j.engine.qp;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.engine.time.DeadlineHeap;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpState;

/** A device with one address (GID index 0 of each port), two P_Keys and 128 READs at a time. */
final class TestHost implements QpHost, DeviceFacts {
  private static final Gid ADDRESS = Gid.parse("10.0.0.1");

  int pkey = 0xffff;

  /** At index 1. */
  int otherPkey = 0xffff;

  final List<String> changesOfState = new ArrayList<>();
  int portMtu = 4096;
  int ports = 1;

  /** The port of every address. */
  int heardAt;

  /** Users of paths, and the least number of them after a release. */
  int users;

  int fewestUsers = Integer.MAX_VALUE;

  private final DeadlineHeap deadlines = new DeadlineHeap();
  private final AckHolding acks = new AckHolding();
  private final Counters counters = new Counters();
  private final RequestHolding holding = new RequestHolding(0, counters);

  @Override
  public DeviceFacts device() {
    return this;
  }

  @Override
  public DeadlineHeap deadlines() {
    return deadlines;
  }

  @Override
  public Counters counters() {
    return counters;
  }

  @Override
  public EngineTrace trace() {
    return new EngineTrace() {
      @Override
      public void stateChanged(int qpNum, QpState from, QpState to) {
        changesOfState.add(from + " " + to);
      }
    };
  }

  @Override
  public Gid gid(int port, int index) {
    return index == 0 ? ADDRESS : Gid.ZERO;
  }

  @Override
  public int ports() {
    return ports;
  }

  @Override
  public int portOf(long high, long low) {
    return heardAt;
  }

  @Override
  public HeldPath hold(Path path) {
    users++;
    return new HeldPath(path, PathWindow.upTo(Gid.ZERO, 1 << 20, (window, nowNs) -> {}));
  }

  @Override
  public void release(Path path, PathWindow window) {
    fewestUsers = Math.min(fewestUsers, --users);
  }

  @Override
  public int pkey(int index) {
    return index == 0 ? pkey : otherPkey;
  }

  @Override
  public int pkeyTableLength() {
    return 2;
  }

  @Override
  public int maxRdAtomic() {
    return 128;
  }

  @Override
  public int leastProbedPackets() {
    return 0;
  }

  @Override
  public int maxProbingQp() {
    return 0;
  }

  @Override
  public int portMtu() {
    return portMtu;
  }

  @Override
  public void leavePath(QpMachine qp) {}

  @Override
  public void departs(QpMachine qp) {}

  @Override
  public void needTime() {}

  @Override
  public void activate(QpMachine qp) {}

  @Override
  public void roomMade(PathWindow window) {}

  @Override
  public int maxHeldRequests() {
    return 0;
  }

  @Override
  public RequestHolding holding() {
    return holding;
  }

  @Override
  public AckHolding acks() {
    return acks;
  }

  @Override
  public long guid() {
    return 1;
  }

  @Override
  public int gidIndex(long high, long low) {
    return -1;
  }
}
