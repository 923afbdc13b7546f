package org.roce4j.robustness;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.CmOption;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.JoinFlag;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RdmaVerbs;

/** A thread of a {@link CmProgram}: executes random steps on the shared objects. */
final class CmActor {
  static final InetAddress GROUP = InetAddress.ofLiteral("239.20.1.1");

  private static final PortSpace[] SPACES = {
    PortSpace.TCP, PortSpace.TCP, PortSpace.TCP, PortSpace.UDP, PortSpace.IB
  };

  private final CmStock stock;
  private final SplittableRandom random;
  private final AtomicLong ended;
  private volatile String doing = "nothing";
  private volatile boolean over;

  /**
   * Creates an actor.
   *
   * @param ended counts the finished calls of all actors
   */
  CmActor(CmStock stock, SplittableRandom random, AtomicLong ended) {
    this.stock = stock;
    this.random = random;
    this.ended = ended;
  }

  /** Executes random steps; fails if a call throws an undocumented exception. */
  void act(int steps) {
    try {
      for (int i = 0; i < steps && !stock.closed(); i++) {
        attempt(CmStep.any(random));
      }
    } finally {
      over = true;
    }
  }

  boolean hasEnded() {
    return over;
  }

  private void attempt(CmStep step) {
    CmId id = stock.ids.any(random);
    if (id != null || !step.needsId()) {
      attempt(step, id);
    }
  }

  /** Executes a step; returns whether it succeeded. */
  private boolean attempt(CmStep step, CmId id) {
    doing = step + " " + id;
    try {
      step.run(this, id);
      return true;
    } catch (VerbsException e) {
      if (!step.mayThrow(e.errno())) {
        throw new AssertionError(doing + " throws " + e.errno(), e);
      }
      return false;
    } finally {
      ended.incrementAndGet();
      doing = "nothing after " + step;
      if (random.nextInt(8) > 0) {
        Thread.interrupted(); // otherwise the next call begins interrupted
      }
    }
  }

  @Override
  public String toString() {
    return doing;
  }

  // ---- managers and channels

  void openManager() {
    if (stock.managers.size() < 3) {
      stock.open(random);
    }
  }

  void closeManager() {
    if (random.nextInt(4) == 0) {
      stock.closeAnyManager(random);
    }
  }

  void createChannel() {
    RdmaCm cm = stock.managers.any(random);
    if (cm != null) {
      EventChannel channel = cm.createEventChannel();
      if (random.nextInt(4) == 0) {
        channel.onEvent(() -> {});
      }
      stock.channels.add(channel, random);
    }
  }

  void closeChannel() {
    EventChannel channel = stock.channels.any(random);
    if (channel != null) {
      channel.close();
    }
  }

  // ---- ids

  void createId() {
    EventChannel channel = stock.channels.any(random);
    if (channel != null) {
      stock.ids.add(channel.createId(SPACES[random.nextInt(SPACES.length)], this), random);
    }
  }

  void createSynchronousId() {
    RdmaCm cm = stock.managers.any(random);
    if (cm != null) {
      stock.ids.add(cm.createId(SPACES[random.nextInt(SPACES.length)]), random);
    }
  }

  void createEndpoint() {
    RdmaCm cm = stock.managers.any(random);
    if (cm != null) {
      boolean passive = random.nextBoolean();
      AddrInfo info =
          passive
              ? new AddrInfo().flags(AddrInfo.PASSIVE).srcAddr(place())
              : new AddrInfo().dstAddr(place());
      CmId id = cm.createEp(info, null, random.nextBoolean() ? attr() : null);
      stock.ids.add(id, random);
      if (passive) {
        attempt(CmStep.LISTEN, id);
      }
    }
  }

  void listenAt(CmId id) {
    id.setOption(CmOption.REUSEADDR, random.nextInt(2));
    id.bindAddr(place());
    id.listen(random.nextInt(4));
  }

  InetSocketAddress place() {
    InetSocketAddress place = stock.places.get(random.nextInt(stock.places.size()));
    return switch (random.nextInt(24)) {
      case 0 -> new InetSocketAddress(place.getAddress(), 0);
      case 1 -> new InetSocketAddress(place.getPort());
      default -> place;
    };
  }

  static QpInitAttr attr() {
    return new QpInitAttr().cap(new QpCapabilities(4, 4, 1, 1));
  }

  void createQp(CmId id) {
    id.createQp(null, attr().qpType(id.qpType()));
  }

  void connect(CmId id) {
    id.connect(new ConnParam().qpNum(random.nextInt(1 << 24)).privateData(new byte[5]));
  }

  void accept(CmId id) {
    id.accept(new ConnParam().qpNum(random.nextInt(1 << 24)));
  }

  void getRequest(CmId id) {
    CmId request = id.getRequest();
    stock.ids.add(request, random);
    if (random.nextInt(4) > 0) {
      answer(request);
    }
  }

  private void answer(CmId id) {
    if (random.nextInt(4) > 0) {
      attempt(CmStep.CREATE_QP, id);
    }
    attempt(random.nextInt(6) > 0 ? CmStep.ACCEPT : CmStep.REJECT, id);
  }

  void join(CmId id) {
    JoinFlag flag = JoinFlag.values()[random.nextInt(JoinFlag.values().length)];
    id.joinMulticast(GROUP, flag, this);
  }

  void migrate(CmId id) {
    id.migrate(random.nextInt(3) == 0 ? null : stock.channels.any(random));
  }

  void option(CmId id) {
    CmOption option = CmOption.values()[random.nextInt(CmOption.values().length)];
    int value = random.nextInt(33);
    boolean tooLong = option == CmOption.ACK_TIMEOUT && value <= 31;
    id.setOption(option, tooLong ? Math.min(value, stock.longestAckTimeout) : value);
  }

  void post(CmId id) {
    if (random.nextBoolean()) {
      RdmaVerbs.postSendv(id, 1, SendFlags.SIGNALED);
    } else {
      RdmaVerbs.postRecvv(id, 2, new Sge[0]);
    }
  }

  void awaitCompletion(CmId id) {
    CompletionQueue cq = id.sendCq();
    try (WorkCompletions completions = new WorkCompletions(1)) {
      if (random.nextInt(8) == 0) {
        RdmaVerbs.getSendComp(id, completions);
      } else if (cq != null && cq.poll(completions) > 1) {
        throw new AssertionError("more than there is room for");
      }
    }
  }

  void look(CmId id) {
    String text = id + " " + id.verbs() + id.portNum() + id.peerAddr() + id.event() + id.channel();
    if (text.isEmpty() || id.srcPort() < 0 || id.dstPort() < 0 || id.userContext() == null) {
      return;
    }
    id.qp();
    id.srq();
    id.pd();
    id.recvCqChannel();
  }

  // ---- events

  void takeEvent() {
    EventChannel channel = stock.channels.any(random);
    if (channel != null) {
      long patienceNs = random.nextInt(3) == 0 ? 0 : random.nextInt(20_000_000);
      CmEvent event = channel.getCmEvent(random.nextInt(40) == 0 ? Long.MAX_VALUE : patienceNs);
      if (event != null) {
        taken(event);
      }
    }
  }

  private void taken(CmEvent event) {
    if (event instanceof CmEvent.ConnectRequest) {
      stock.ids.add(event.id(), random);
    }
    boolean late = random.nextInt(8) == 0;
    if (random.nextInt(8) == 0) {
      stock.events.add(event, random);
    } else if (!late) {
      event.ack();
    }
    if (random.nextInt(8) > 0) {
      goOn(event);
    }
    if (late) {
      event.ack();
    }
  }

  /** Acts on an event as a program would that wants the connection. */
  private void goOn(CmEvent event) {
    CmId id = event.id();
    switch (event) {
      case CmEvent.AddrResolved _ -> attempt(CmStep.RESOLVE_ROUTE, id);
      case CmEvent.RouteResolved _ -> {
        attempt(CmStep.CREATE_QP, id);
        attempt(CmStep.CONNECT, id);
      }
      case CmEvent.ConnectRequest _ -> answer(id);
      case CmEvent.ConnectResponse _ -> attempt(CmStep.ESTABLISH, id);
      case CmEvent.Established _ -> attempt(CmStep.POST, id);
      case CmEvent.Disconnected _ -> {
        attempt(CmStep.DISCONNECT, id);
        attempt(CmStep.CLOSE_ID, id);
      }
      default -> attempt(CmStep.CLOSE_ID, id);
    }
  }

  void acknowledge() {
    CmEvent event = stock.events.takeAny(random);
    if (event != null) {
      event.ack();
    }
  }

  void interrupt() {
    stock.interruptAny(random);
  }
}
