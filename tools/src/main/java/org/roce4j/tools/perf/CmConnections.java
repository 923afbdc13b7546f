package org.roce4j.tools.perf;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.perf.traffic.Introductions;
import org.roce4j.tools.perf.traffic.PerfSide;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RejectReason;
import org.roce4j.verbs.cm.SidrStatus;
import org.roce4j.verbs.cm.UdParam;

/**
 * Connects the queue pairs of a side by {@code rdma_cm}, as perftest's {@code -R} does: the server
 * listens at the port of the exchange, the client makes a connection for each of its queue pairs.
 * The ids have no queue pairs of their own. Used by one thread.
 */
final class CmConnections implements AutoCloseable {
  private static final int TIMEOUT_MS = 2000;
  private static final int RETRIES = 7;

  /** 0.64 ms. */
  private static final int MIN_RNR_TIMER = 12;

  /** The C server announces that it listens a moment before it does. */
  private static final int MOST_REFUSALS = 50;

  private static final long AFTER_REFUSAL_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long FAREWELL_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int MOST_FAREWELLS = 10;

  private final PerfSide side;
  private final int ackTimeout;
  private final List<QueuePair> queuePairs;
  private final PortSpace portSpace;

  /** Null but of a latency test with datagrams. */
  private final Introductions introductions;

  private final RdmaCm cm;
  private final EventChannel channel;
  private final List<CmId> connected = new ArrayList<>();
  private InetSocketAddress server;
  private int accepted;
  private int refusals;
  private int ended;

  /**
   * The connections of a side; none is made yet.
   *
   * @param ackTimeout of its queue pairs, as {@code -u} says
   * @param latency whether the server answers
   */
  CmConnections(PerfSide side, int ackTimeout, boolean latency) {
    this.side = side;
    this.ackTimeout = ackTimeout;
    queuePairs = side.queuePairs();
    boolean datagrams = queuePairs.getFirst().qpType() == QpType.UD;
    portSpace = datagrams ? PortSpace.UDP : PortSpace.TCP;
    introductions = datagrams && latency ? side.introductions() : null;
    cm = RdmaCm.open(side.context());
    channel = cm.createEventChannel();
  }

  /** Lets clients connect. */
  void listen(int port) {
    CmId listener = channel.createId(portSpace);
    listener.bindAddr(own(port));
    listener.listen(queuePairs.size());
  }

  /** Begins a connection for each queue pair. */
  void call(InetSocketAddress at) {
    server = at;
    if (portSpace == PortSpace.UDP) {
      queuePairs.forEach(CmConnections::bringUp);
    }
    queuePairs.forEach(this::call);
  }

  private void call(QueuePair qp) {
    channel.createId(portSpace, qp).resolveAddr(own(0), server, TIMEOUT_MS);
  }

  private InetSocketAddress own(int port) {
    return new InetSocketAddress(side.gid().toInetAddress(), port);
  }

  /** Waits until every queue pair is connected. */
  void complete(Duration patience) {
    long endNs = System.nanoTime() + patience.toNanos();
    while (!isComplete()) {
      boolean met = connected.size() == queuePairs.size();
      if (met ? System.nanoTime() - endNs > 0 : !step(patience.toNanos())) {
        throw ToolFailure.atRunTime(
            "%d of %d queue pairs connected by rdma_cm, and nothing for %d s; both sides need"
                + " -R and the same -q",
            connected.size(), queuePairs.size(), patience.toSeconds());
      }
    }
  }

  boolean isComplete() {
    return connected.size() == queuePairs.size()
        && (introductions == null || introductions.isComplete());
  }

  /** Handles the next event; false if there was none. */
  boolean step(long timeoutNs) {
    try (CmEvent event = channel.getCmEvent(timeoutNs)) {
      if (event != null) {
        handle(event);
      }
      return event != null;
    }
  }

  private void handle(CmEvent event) {
    CmId id = event.id();
    switch (event) {
      case CmEvent.AddrResolved _ -> id.resolveRoute(TIMEOUT_MS);
      case CmEvent.RouteResolved _ -> id.connect(parameters((QueuePair) id.userContext()));
      case CmEvent.ConnectRequest _ -> accept(id);
      case CmEvent.ConnectResponse _ -> {
        bringUp((QueuePair) id.userContext(), id);
        id.establish();
        connected.add(id);
      }
      case CmEvent.Established established -> {
        if (portSpace == PortSpace.UDP) {
          reach((QueuePair) id.userContext(), established.ud());
        }
        connected.add(id);
      }
      case CmEvent.Rejected refused when mayTryAgain(refused) -> callAgain(id);
      case CmEvent.Unreachable refused when mayTryAgain(refused) -> callAgain(id);
      case CmEvent.Disconnected _ -> {
        ended++;
        disconnect(id);
      }
      case CmEvent.TimewaitExit _ -> {}
      default -> throw ToolFailure.atRunTime("rdma_cm: " + event);
    }
  }

  private boolean mayTryAgain(CmEvent.Rejected refused) {
    return refused.status() == RejectReason.INVALID_SERVICE_ID.value()
        && refusals++ < MOST_REFUSALS;
  }

  /** Whether to try again because no program offers the datagram service yet. */
  private boolean mayTryAgain(CmEvent.Unreachable refused) {
    return portSpace == PortSpace.UDP
        && refused.sidrStatus().equals(Optional.of(SidrStatus.UNSUPPORTED))
        && refusals++ < MOST_REFUSALS;
  }

  private void callAgain(CmId id) {
    LockSupport.parkNanos(AFTER_REFUSAL_NS);
    call((QueuePair) id.userContext());
  }

  private void accept(CmId id) {
    if (accepted == queuePairs.size()) {
      id.close();
      return;
    }
    QueuePair qp = queuePairs.get(accepted++);
    if (portSpace == PortSpace.TCP) {
      bringUp(qp, id);
      id.accept(parameters(qp));
      return;
    }
    bringUp(qp);
    if (introductions != null) {
      introductions.expect(qp);
    }
    id.accept(parameters(qp));
    connected.add(id);
  }

  private void reach(QueuePair qp, UdParam where) {
    side.reach(qp, where);
    if (introductions != null) {
      introductions.send(qp);
    }
  }

  private static void bringUp(QueuePair qp) {
    qp.modify(new QpAttr().qpState(QpState.INIT).qkey(UdParam.QKEY)); // the side set its own
    QpBringUp.toRts(qp, QpBringUp.attributes());
  }

  private void bringUp(QueuePair qp, CmId id) {
    qp.modify(id.initQpAttr(QpState.RTR).minRnrTimer(MIN_RNR_TIMER));
    qp.modify(id.initQpAttr(QpState.RTS).timeout(ackTimeout));
  }

  private ConnParam parameters(QueuePair qp) {
    int reads = side.addresses().getFirst().outReads();
    return new ConnParam()
        .qpNum(qp.qpNum())
        .responderResources(reads)
        .initiatorDepth(reads)
        .retryCount(RETRIES)
        .rnrRetryCount(RETRIES);
  }

  private static void disconnect(CmId id) {
    try {
      id.disconnect();
    } catch (VerbsException e) {
      // Both ends have disconnected already.
    }
  }

  /** The client ends the connections; the server gives it a moment to do so. */
  @Override
  public void close() {
    try (cm) {
      if (server != null) {
        connected.forEach(CmConnections::disconnect);
      }
      for (int quiet = 0; ended < connected.size() && quiet < MOST_FAREWELLS; ) {
        quiet += step(FAREWELL_NS) ? 0 : 1;
      }
    }
  }
}
