package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.roce4j.conformance.bench.Expect.refused;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.connect.CompletionDispatcher;
import org.roce4j.connect.Connection;
import org.roce4j.connect.ConnectionOptions;
import org.roce4j.connect.DatagramEnd;
import org.roce4j.connect.Listener;
import org.roce4j.connect.RcPair;
import org.roce4j.connect.UdPair;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.faulty.FaultyDevice;
import org.roce4j.faulty.VerbsFaults;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/**
 * Objects beside the verbs, and refused calls, leave nothing behind when they are closed: the
 * context, the connection manager and the device hold as much as before.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServicesGrowthTest {
  private static final int PORT = 7471;
  private static final InetAddress GROUP = InetAddress.ofLiteral("239.9.8.7");
  private static final ConnectionOptions HASTY =
      ConnectionOptions.DEFAULT.withTimeout(Duration.ofSeconds(5));

  private final FabricDevices network = new FabricDevices(FabricOptions.of(1));
  private final Context near = open("near", "10.0.0.1");
  private final Context far = open("far", "10.0.0.2");
  private final Context third = open("third", "10.0.0.3");
  private final Context other = open("other", "fd00::4");
  private final Context planned =
      FaultyDevice.around(
              network.device(DeviceOptions.of("planned", Gid.parse("10.0.0.5"))),
              VerbsFaults.parse("late=1ms nth=1"))
          .open();
  private final RdmaCm cm = RdmaCm.open(near);
  private final RdmaCm farCm = RdmaCm.open(far, third);
  private final EventChannel channel = cm.createEventChannel();
  private final EventChannel second = cm.createEventChannel();
  private final EventChannel farChannel = farCm.createEventChannel();
  private final CompletionDispatcher dispatcher = new CompletionDispatcher(near.createCq(4));
  private final DatagramEnd datagrams = DatagramEnd.open(near);

  private Context open(String name, String address) {
    EmulatedDevice device = network.device(DeviceOptions.of(name, Gid.parse(address)));
    device.rememberOrigins();
    return device.open();
  }

  @AfterEach
  void close() {
    datagrams.close();
    cm.close();
    farCm.close();
    network.close();
  }

  /** The objects to create and close. */
  enum What {
    AN_ID_THAT_IS_BOUND(
        at -> {
          try (CmId id = at.farChannel.createId(PortSpace.TCP)) {
            id.bindAddr(new InetSocketAddress(0));
          }
        }),
    AN_ID_THAT_LISTENS_ON_EVERY_DEVICE(
        at -> {
          try (CmId id = at.farChannel.createId(PortSpace.TCP)) {
            id.bindAddr(new InetSocketAddress(PORT));
            id.listen(4);
          }
        }),
    AN_ID_THAT_CANNOT_BE_BOUND_ON_EVERY_DEVICE(
        at -> {
          try (CmId taken = at.farChannel.createId(PortSpace.TCP);
              CmId id = at.farChannel.createId(PortSpace.TCP)) {
            taken.bindAddr(new InetSocketAddress("10.0.0.3", PORT));
            refused(Errno.EADDRNOTAVAIL, () -> id.bindAddr(new InetSocketAddress(PORT)));
            id.bindAddr(new InetSocketAddress("10.0.0.2", PORT)); // free before
          }
        }),
    A_LISTENER_WITH_REQUESTS_THAT_NOBODY_TOOK(
        at -> {
          CmId listener = at.listener(PortSpace.TCP);
          CmId id = at.resolved(PortSpace.TCP);
          id.connect(new ConnParam());
          at.pass();
          listener.close();
          next(at.channel, CmEvent.Rejected.class);
          id.close();
          at.network.fabric().run(TimeUnit.SECONDS.toNanos(10)); // no repeated request can come
        }),
    A_DATAGRAM_SERVICE_THAT_WAS_ASKED_AND_SAID_NOTHING(
        at -> {
          CmId listener = at.listener(PortSpace.UDP);
          CmId id = at.resolved(PortSpace.UDP);
          id.connect(new ConnParam());
          at.pass();
          listener.close();
          next(at.channel, CmEvent.Unreachable.class);
          id.close();
        }),
    A_CONNECTION_OF_IDS(
        at -> {
          CmId listener = at.listener(PortSpace.TCP);
          CmId id = at.resolved(PortSpace.TCP);
          id.createQp(null, attr());
          id.connect(new ConnParam());
          CmId passive = next(at.farChannel, CmEvent.ConnectRequest.class).id();
          passive.createQp(null, attr());
          passive.accept(new ConnParam());
          next(at.channel, CmEvent.Established.class);
          id.close();
          passive.close();
          listener.close();
          at.pass();
        }),
    AN_ID_THAT_HAS_MIGRATED(
        at -> {
          try (CmId id = at.channel.createId(PortSpace.TCP)) {
            id.migrate(at.second);
            id.migrate(null);
            id.migrate(at.channel);
          }
        }),
    AN_ID_WHOSE_QUEUE_PAIR_IS_REFUSED(
        at -> {
          try (CmId id = at.resolved(PortSpace.TCP)) {
            QpInitAttr tooLong = attr().cap(new QpCapabilities(Integer.MAX_VALUE, 1, 1, 1));
            refused(Errno.EINVAL, () -> id.createQp(null, tooLong));
          }
        }),
    AN_ID_IN_A_GROUP(
        at -> {
          try (CmId id = at.channel.createId(PortSpace.UDP)) {
            id.resolveAddr(null, new InetSocketAddress(GROUP, 0), 2000);
            next(at.channel, CmEvent.AddrResolved.class);
            id.createQp(null, attr().qpType(QpType.UD));
            id.joinMulticast(GROUP, null);
            next(at.channel, CmEvent.MulticastJoin.class);
          }
        }),
    A_SYNCHRONOUS_ID(at -> at.cm.createId(PortSpace.TCP).close()),
    AN_ENDPOINT(
        at ->
            at.farCm
                .createEp(
                    AddrInfo.resolve("10.0.0.2", "7471", new AddrInfo().flags(AddrInfo.PASSIVE)),
                    null,
                    null)
                .close()),
    AN_EVENT_CHANNEL(at -> at.cm.createEventChannel().close()),
    AN_XRC_DOMAIN_OF_A_FILE(
        at -> {
          Path file = Path.of("/proc/self/exe");
          XrcDomain mine = at.near.openXrcd(new XrcdInitAttr(file));
          XrcDomain again = at.near.openXrcd(new XrcdInitAttr(file));
          refused(
              Errno.EINVAL,
              () ->
                  at.near.openXrcd(
                      new XrcdInitAttr(file, XrcdInitAttr.O_CREAT | XrcdInitAttr.O_EXCL)));
          mine.close();
          again.close();
        }),
    OBJECTS_OF_AN_XRC_DOMAIN(
        at -> {
          ProtectionDomain pd = at.near.allocPd();
          CompletionQueue cq = at.near.createCq(4);
          XrcDomain xrcd = at.near.openXrcd(new XrcdInitAttr());
          SharedReceiveQueue srq =
              at.near.createSrq(
                  new SrqInitAttrEx()
                      .srqType(SrqType.XRC)
                      .pd(pd)
                      .xrcd(xrcd)
                      .cq(cq)
                      .maxWr(4)
                      .maxSge(1));
          QueuePair target = at.near.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd));
          QueuePair opened = at.near.openQp(new QpOpenAttr(target.qpNum(), xrcd));
          target.close();
          opened.close();
          srq.close();
          xrcd.close();
          cq.close();
          pd.close();
        }),
    AN_EXTENDED_COMPLETION_QUEUE_AND_A_BUILDER(
        at -> {
          ProtectionDomain pd = at.near.allocPd();
          CompletionChannel events = at.near.createCompletionChannel();
          CompletionQueue cq =
              at.near.createCqEx(
                  new CqInitAttr()
                      .cqe(4)
                      .channel(events)
                      .wcFlags(WcExFlags.WITH_COMPLETION_TIMESTAMP));
          QueuePair qp = pd.createQp(attr().cq(cq).sendOps(SendOpsFlags.WITH_SEND));
          qp.builder().start();
          qp.close();
          cq.close();
          events.close();
          pd.close();
        }),
    OBJECTS_OF_A_DEVICE_WITH_A_PLAN(
        at -> {
          ProtectionDomain pd = at.planned.allocPd();
          CompletionChannel events = at.planned.createCompletionChannel();
          CompletionQueue cq = at.planned.createCq(4, null, events, 0);
          QueuePair qp = pd.createQp(attr().cq(cq).sendOps(SendOpsFlags.WITH_SEND));
          qp.builder().start();
          refused(Errno.EBUSY, cq::close);
          qp.close();
          cq.close();
          events.close();
          pd.close();
        }),
    A_PAIR(at -> RcPair.connect(at.near, at.far).close()),
    A_PAIR_OF_TWO_IP_VERSIONS(
        at -> refused(Errno.EAFNOSUPPORT, () -> RcPair.connect(at.near, at.other))),
    A_PAIR_FOR_DATAGRAMS(at -> UdPair.connect(at.near, at.far).close()),
    A_PAIR_FOR_DATAGRAMS_OF_TWO_IP_VERSIONS(
        at -> refused(Errno.EINVAL, () -> UdPair.connect(at.near, at.other))),
    A_PEER_THAT_SPEAKS_SOMETHING_ELSE(
        at -> {
          try (Listener listener = Connection.listen(at.near, 0, HASTY);
              Socket stranger = new Socket(InetAddress.getLoopbackAddress(), listener.port())) {
            stranger.getOutputStream().write(new byte[100]);
            refused(Errno.EPROTO, listener::accept);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }),
    A_SERVER_THAT_IS_NOT_THERE(
        at -> {
          int port = unusedPort();
          refused(Errno.ECONNREFUSED, () -> Connection.connect(at.near, "127.0.0.1", port, HASTY));
        }),
    DESTINATIONS_OF_DATAGRAMS(
        at -> {
          try (DatagramEnd one = DatagramEnd.open(at.far);
              DatagramEnd two = DatagramEnd.open(at.third)) {
            at.datagrams.to(one.address()).to(two.address());
          }
        }),
    A_FUTURE_OF_A_REQUEST_THAT_WAS_NOT_POSTED(at -> at.dispatcher.forget(at.dispatcher.expect()));

    private final Round round;

    What(Round round) {
      this.round = round;
    }
  }

  private interface Round {
    void run(ServicesGrowthTest at);
  }

  @ParameterizedTest
  @EnumSource
  void isForgotten(What what) {
    Census.leavesNothing(round -> what.round.run(this));
  }

  // ---- steps of several rounds

  private static QpInitAttr attr() {
    return new QpInitAttr().cap(new QpCapabilities(4, 4, 1, 1));
  }

  private static int unusedPort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next event of this type; others belong to finished ends and are skipped. */
  private static <E extends CmEvent> E next(EventChannel channel, Class<E> type) {
    while (true) {
      CmEvent event = channel.getCmEvent(TimeUnit.MINUTES.toNanos(5));
      assertNotNull(event);
      event.ack();
      if (type.isInstance(event)) {
        return assertInstanceOf(type, event);
      }
    }
  }

  /** Lets messages arrive and time wait end. */
  private void pass() {
    network.fabric().run(TimeUnit.SECONDS.toNanos(2));
  }

  private CmId listener(PortSpace ps) {
    CmId id = farChannel.createId(ps);
    id.bindAddr(new InetSocketAddress("10.0.0.2", PORT));
    id.listen(4);
    return id;
  }

  private CmId resolved(PortSpace ps) {
    CmId id = channel.createId(ps);
    id.resolveAddr(null, new InetSocketAddress("10.0.0.2", PORT), 2000);
    next(channel, CmEvent.AddrResolved.class);
    id.resolveRoute(2000);
    next(channel, CmEvent.RouteResolved.class);
    return id;
  }
}
