package org.roce4j.verbs.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;

/** The kernel's half as far as the library's tests need it: peers of one process, nothing lost. */
final class LoopbackProvider implements CmProvider {
  final StubVerbs verbs = new StubVerbs();
  final Context context = verbs.context(this);
  private final Map<Integer, Id> listeners = new ConcurrentHashMap<>();

  /** How long a call that waits for ever waits. */
  long patienceNs = 10_000_000_000L;

  int openChannels;
  int openIds;

  /** The reason that a rejection gives although no program can; -1: none. */
  int forged = -1;

  /** Whether the peer of a request leaves while its id moves to a channel of its own. */
  boolean leaving;

  /** Whether ids are not destroyed when they should be. */
  boolean keepsIds;

  /** Whether the peer of an acceptance has left, so that it cannot be rejected. */
  boolean left;

  /** What another thread does, once, while a request is taken. */
  Runnable meanwhile = () -> {};

  /** What another thread does while an id is made. */
  Runnable whileMaking = () -> {};

  /** Whether requests arrive at a device that the program has not opened. */
  boolean unopened;

  @Override
  public ProviderChannel openCmChannel(List<Context> contexts) {
    verbs.step("openCmChannel");
    openChannels++;
    return new Channel();
  }

  @Override
  public String name() {
    return "loopback";
  }

  @Override
  public List<RdmaDevice> devices() {
    return List.of(context.device());
  }

  @Override
  public Optional<String> unavailable() {
    return Optional.empty();
  }

  /** Something happens to an id. */
  void report(CmId id, CmEventType type, int status) {
    ((Id) id.provided()).report(type, status, null, null);
  }

  private final class Channel implements ProviderChannel {
    private final LinkedBlockingQueue<ProviderReport> reports = new LinkedBlockingQueue<>();
    private volatile Runnable hook;

    @Override
    public ProviderId createId(PortSpace ps, QpType qpType) {
      verbs.step("createId");
      whileMaking.run();
      return new Id(this, qpType);
    }

    @Override
    public ProviderReport take(long timeoutNs) {
      try {
        ProviderReport next = reports.poll(Math.min(timeoutNs, patienceNs), TimeUnit.NANOSECONDS);
        if (next == null && timeoutNs > patienceNs) {
          throw new VerbsException(Errno.ETIMEDOUT, "nothing is reported any more");
        }
        return next;
      } catch (InterruptedException e) {
        throw new VerbsException(Errno.EINTR, "interrupted");
      }
    }

    @Override
    public long nowNs() {
      return System.nanoTime();
    }

    void report(ProviderReport report) {
      reports.add(report);
      Runnable now = hook;
      if (now != null) {
        now.run();
      }
    }

    @Override
    public void onEvent(Runnable newHook) {
      hook = newHook;
    }

    @Override
    public void close() {
      openChannels--;
    }
  }

  /** An id; {@code peer} is the id at the other end. */
  final class Id implements ProviderId {
    private final QpType type;
    private Channel channel;
    private Id peer;
    private boolean bound;
    private boolean closed;
    private InetSocketAddress local;
    private InetSocketAddress remote;

    Id(Channel channel, QpType type) {
      this.channel = channel;
      this.type = type;
      openIds++;
    }

    private void report(CmEventType what, int status, ConnParam conn, UdParam ud) {
      channel.report(new ProviderReport(what, this, null, status, conn, ud, null));
    }

    @Override
    public Context context() {
      Runnable once = meanwhile;
      meanwhile = () -> {};
      once.run();
      return bound ? context : null;
    }

    @Override
    public int portNum() {
      return bound ? 1 : 0;
    }

    @Override
    public InetSocketAddress localAddr() {
      return local;
    }

    @Override
    public InetSocketAddress peerAddr() {
      return remote;
    }

    @Override
    public void setOption(CmOption option, int value) {
      verbs.calls.add(option + " " + value);
    }

    @Override
    public void setIbPath(byte[] pathRecords) {
      verbs.calls.add("setIbPath " + Arrays.toString(pathRecords));
      report(CmEventType.ROUTE_RESOLVED, 0, null, null);
    }

    @Override
    public void bindAddr(InetSocketAddress address) {
      verbs.step("bindAddr");
      local = address;
      bound = !address.getAddress().isAnyLocalAddress();
    }

    @Override
    public void resolveAddr(
        InetSocketAddress source, InetSocketAddress destination, int timeoutMs) {
      verbs.step("resolveAddr");
      if (destination.getAddress().equals(InetAddress.ofLiteral("192.0.2.1"))) {
        report(CmEventType.ADDR_ERROR, -Errno.ENETUNREACH.number(), null, null);
        return;
      }
      bound = true;
      local = new InetSocketAddress("127.0.0.1", 40_000);
      remote = destination;
      report(CmEventType.ADDR_RESOLVED, 0, null, null);
    }

    @Override
    public void resolveRoute(int timeoutMs) {
      verbs.step("resolveRoute");
      verbs.calls.add("resolveRoute " + timeoutMs);
      report(CmEventType.ROUTE_RESOLVED, 0, null, null);
    }

    @Override
    public void listen(int backlog) {
      verbs.step("listen");
      verbs.calls.add("listen " + backlog);
      listeners.put(local.getPort(), this);
    }

    @Override
    public void connect(ConnParam param) {
      verbs.step("connect");
      Id listener = listeners.get(remote.getPort());
      if (listener == null) {
        reject(this, RejectReason.INVALID_SERVICE_ID, new byte[0]);
        return;
      }
      Id made = new Id(listener.channel, type);
      made.peer = this;
      made.bound = !unopened;
      made.local = remote;
      made.remote = local;
      peer = made;
      boolean datagrams = type == QpType.UD;
      listener.channel.report(
          new ProviderReport(
              CmEventType.CONNECT_REQUEST,
              made,
              listener,
              0,
              datagrams ? null : swapped(param, 56),
              datagrams ? new UdParam(padded(param, 180), null, 0, 0) : null,
              null));
    }

    private void reject(Id to, RejectReason reason, byte[] bytes) {
      if (to.type == QpType.UD) {
        to.report(CmEventType.UNREACHABLE, SidrStatus.REJECT.value(), null, null);
      } else {
        ConnParam conn = new ConnParam().privateData(Arrays.copyOf(bytes, 148));
        to.report(CmEventType.REJECTED, forged >= 0 ? forged : reason.value(), conn, null);
      }
    }

    private static byte[] padded(ConnParam param, int size) {
      return Arrays.copyOf(param.privateData(), size);
    }

    private static ConnParam swapped(ConnParam param, int size) {
      return param
          .copy()
          .privateData(padded(param, size))
          .responderResources(param.initiatorDepth())
          .initiatorDepth(param.responderResources());
    }

    @Override
    public void accept(ConnParam param) {
      verbs.step("accept");
      if (type == QpType.UD) {
        AhAttr to = AhAttr.roce(Gid.parse("127.0.0.1"), 0);
        UdParam where = new UdParam(padded(param, 136), to, param.qpNum(), UdParam.QKEY);
        peer.report(CmEventType.ESTABLISHED, 0, null, where);
      } else {
        peer.report(CmEventType.CONNECT_RESPONSE, 0, swapped(param, 196), null);
      }
    }

    @Override
    public void reject(RejectReason reason, byte[] privateData) {
      if (left) {
        throw new VerbsException(Errno.ENODEV, "there is nothing to reject");
      }
      reject(peer, reason, privateData);
    }

    @Override
    public void establish() {
      verbs.step("establish");
      peer.report(CmEventType.ESTABLISHED, 0, null, null);
    }

    @Override
    public void disconnect() {
      verbs.step("disconnect");
      report(CmEventType.DISCONNECTED, 0, null, null);
      peer.report(CmEventType.DISCONNECTED, 0, null, null);
    }

    @Override
    public void notify(EventType event) {
      report(CmEventType.ESTABLISHED, 0, null, null);
    }

    @Override
    public QpAttr initQpAttr(QpState state) {
      verbs.step("initQpAttr");
      QpAttr attr = new QpAttr().qpState(state);
      return switch (state) {
        case RTR -> attr.maxDestRdAtomic(9);
        case RTS -> attr.maxRdAtomic(8);
        default -> attr;
      };
    }

    @Override
    public void joinMulticast(InetAddress group, JoinFlag flag, Object join) {
      verbs.step("joinMulticast");
      AhAttr to = AhAttr.roce(Gid.of(group), 0);
      UdParam where = new UdParam(new byte[0], to, 0xFFFFFF, UdParam.QKEY);
      channel.report(
          new ProviderReport(CmEventType.MULTICAST_JOIN, this, null, 0, null, where, join));
    }

    @Override
    public void leaveMulticast(InetAddress group, Object join) {
      verbs.step("leaveMulticast");
      verbs.calls.add("leave " + group.getHostAddress());
    }

    @Override
    public void migrate(ProviderChannel to) {
      verbs.step("migrate");
      Channel before = channel;
      channel = (Channel) to;
      before.reports.stream().filter(each -> each.id() == this).forEach(channel::report);
      before.reports.removeIf(each -> each.id() == this);
      if (leaving) {
        before.report(new ProviderReport(CmEventType.REJECTED, this, null, 4, null, null, null));
      }
    }

    @Override
    public void close() {
      if (keepsIds) {
        throw new VerbsException(Errno.EIO, "the backend keeps its id");
      }
      openIds -= closed ? 0 : 1;
      closed = true;
      listeners.values().remove(this);
      channel.reports.removeIf(each -> each.id() == this);
    }
  }
}
