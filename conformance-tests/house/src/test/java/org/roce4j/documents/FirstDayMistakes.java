package org.roce4j.documents;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.roce4j.connect.Connection;
import org.roce4j.connect.ConnectionOptions;
import org.roce4j.connect.Listener;
import org.roce4j.connect.RcPair;
import org.roce4j.connect.RemoteBuffer;
import org.roce4j.emulator.Configuration;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.tools.Roce4j;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.XrcdInitAttr;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.CmOption;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/** Mistakes of a first day beyond the verbs: makes each and keeps the reaction. */
final class FirstDayMistakes implements AutoCloseable {
  private static final int PORT = 7471;
  private static final Duration SOON = Duration.ofMillis(50);

  private final FabricDevices network = new FabricDevices(FabricOptions.of(1));
  private final Context near = network.device("near", Gid.parse("10.0.0.1")).open();
  private final Context far = network.device("far", Gid.parse("10.0.0.2")).open();
  private final RdmaCm manager = RdmaCm.open(near);
  private final EventChannel events = manager.createEventChannel();
  private final Path directory;
  private final Map<String, String> rows = new LinkedHashMap<>();

  FirstDayMistakes(Path directory) {
    this.directory = directory;
  }

  /** Errno or exit status and the words, by the name of the mistake. */
  Map<String, String> made() throws IOException {
    identifiers();
    addresses();
    messages();
    extended();
    configuration();
    commands();
    return rows;
  }

  private void mistake(String title, Runnable call) {
    try {
      call.run();
    } catch (VerbsException e) {
      rows.put(title, e.errno() + " | " + plain(e.remedy()));
      return;
    }
    throw new AssertionError(title + ": nothing was said");
  }

  private void command(String... words) {
    StringWriter err = new StringWriter();
    int status =
        Roce4j.run(new PrintWriter(new StringWriter()), new PrintWriter(err), false, words);
    String line = String.join(" ", words).replace(directory + "/", "");
    rows.put(
        "`./roce4j " + line + "`",
        "exit " + status + " | " + plain(err.toString().lines().findFirst().orElse("")));
  }

  private String plain(String told) {
    return told.replace(directory + "/", "")
        .replaceAll("0x[0-9a-f]{3,}", "0x...")
        .replaceAll("port \\d{5}", "port N")
        .replaceAll("; (it has|there are:) [^;]*(roce|127)[^;]*$", "; $1 ...")
        .replace("|", "\\|");
  }

  // ---- connection manager

  private static InetSocketAddress at(String address) {
    return new InetSocketAddress(InetAddress.ofLiteral(address), PORT);
  }

  private static QpInitAttr attr(QpType type) {
    return new QpInitAttr().qpType(type).cap(new QpCapabilities(4, 4, 1, 1));
  }

  private void id(String title, Consumer<CmId> call) {
    id(title, PortSpace.TCP, call);
  }

  private void id(String title, PortSpace space, Consumer<CmId> call) {
    CmId id = events.createId(space);
    mistake(title, () -> call.accept(id));
    id.close();
  }

  private void bound(String title, Consumer<CmId> call) {
    id(
        title,
        id -> {
          id.bindAddr(at("10.0.0.1"));
          call.accept(id);
        });
  }

  private void identifiers() {
    id("rdma_connect before the route is resolved", id -> id.connect(new ConnParam()));
    id("rdma_resolve_route before the address", id -> id.resolveRoute(1000));
    id("rdma_create_qp before the id is bound", id -> id.createQp(null, attr(QpType.RC)));
    id("rdma_bind_addr to another machine's address", id -> id.bindAddr(at("10.0.0.2")));
    bound("rdma_bind_addr twice", id -> id.bindAddr(at("10.0.0.1")));
    bound(
        "rdma_bind_addr to a port that another id has",
        id -> events.createId(PortSpace.TCP).bindAddr(at("10.0.0.1")));
    bound(
        "rdma_create_qp of a type that the port space has not",
        id -> id.createQp(null, attr(QpType.UD)));
    bound(
        "rdma_create_qp twice",
        id -> {
          id.createQp(null, attr(QpType.RC));
          try {
            id.createQp(null, attr(QpType.RC));
          } finally {
            id.destroyQp();
          }
        });
    outOfOrder();
    groups();
  }

  private void outOfOrder() {
    bound("rdma_accept without a request", id -> id.accept(new ConnParam()));
    bound("rdma_get_request of an id with a channel", CmId::getRequest);
    bound(
        "RDMA_OPTION_ID_AFONLY of an id that listens",
        id -> {
          id.listen(1);
          id.setOption(CmOption.AFONLY, 1);
        });
    id("rdma_disconnect before a connection", CmId::disconnect);
  }

  private void groups() {
    id(
        "rdma_join_multicast of an address that is no group",
        PortSpace.UDP,
        id -> {
          id.bindAddr(at("10.0.0.1"));
          id.joinMulticast(InetAddress.ofLiteral("10.0.0.9"), null);
        });
    id(
        "rdma_leave_multicast of a group that was not joined",
        PortSpace.UDP,
        id -> {
          id.bindAddr(at("10.0.0.1"));
          id.leaveMulticast(InetAddress.ofLiteral("239.1.2.3"));
        });
    mistake(
        "rdma_destroy_event_channel while ids use it",
        () -> {
          EventChannel channel = manager.createEventChannel();
          CmId id = channel.createId(PortSpace.TCP);
          try {
            channel.close();
          } finally {
            id.close();
            channel.close();
          }
        });
  }

  private void addresses() {
    mistake("rdma_getaddrinfo of nothing", () -> AddrInfo.resolve(null, null, null));
    mistake(
        "rdma_getaddrinfo of a service by its name",
        () -> AddrInfo.resolve("10.0.0.2", "http", null));
  }

  // ---- messages

  private record Point(int x, int y) {}

  private void messages() {
    mistake(
        "connect to a port where nobody listens",
        () -> Connection.connect(near, "127.0.0.1", freePort()));
    mistake("listen on a port that is none", () -> Connection.listen(near, 70_000));
    mistake("listen on a port that is taken", this::listenTwice);
    mistake("accept when no peer comes", () -> accept(SOON));
    mistake(
        "a listener's accept after its close",
        () -> {
          Listener listener = Connection.listen(near, 0);
          listener.close();
          listener.accept(SOON);
        });
    try (RcPair pair = RcPair.connect(near, far)) {
      Connection first = pair.client();
      Connection second = pair.server();
      mistake("a message that is too long", () -> first.send(new byte[first.messageBytes() + 1]));
      mistake("send of memory that was freed", () -> first.send(freed()));
      mistake("receive when nobody sends", () -> first.receive(Duration.ofMillis(1)));
      first.send("hello");
      mistake("receive of a record that was not sent", () -> second.receive(Point.class));
      if (!second.receiveString().equals("hello")) {
        throw new AssertionError("a message that was received as another kind is still there");
      }
      first.send(new byte[] {(byte) 0xFF});
      mistake("receive of bytes as text", second::receiveString);
      RemoteBuffer buffer = second.expose(64).key();
      mistake("write beyond the peer's buffer", () -> first.write(buffer, 60, new byte[8]));
      mistake(
          "an atomic on an address that is no multiple of 8",
          () -> first.fetchAndAdd(buffer, 4, 1));
      first.close();
      mistake("send after close", () -> first.send("more"));
    }
    mistake(
        "a GID index that the device has not",
        () -> RcPair.connect(near, far, ConnectionOptions.DEFAULT.withGidIndex(9)));
  }

  private static MemorySegment freed() {
    try (Arena arena = Arena.ofShared()) {
      return arena.allocate(8);
    }
  }

  private void accept(Duration patience) {
    try (Listener listener = Connection.listen(near, 0)) {
      listener.accept(patience);
    }
  }

  private void listenTwice() {
    try (Listener listener = Connection.listen(near, 0)) {
      Connection.listen(near, listener.port());
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // ---- extended reliable connections, completion queues, builders

  private void extended() {
    mistake(
        "ibv_open_xrcd with flags that are none", () -> near.openXrcd(new XrcdInitAttr(null, 1)));
    mistake(
        "ibv_create_srq_ex of type XRC without a domain",
        () -> near.createSrq(srq().srqType(SrqType.XRC)));
    mistake(
        "ibv_create_qp_ex of type XRC_RECV without a domain",
        () -> near.createQp(attr(QpType.XRC_RECV)));
    ExtendedCompletionQueue cq = near.createCqEx(new CqInitAttr().cqe(4));
    mistake("ibv_wc_read_byte_len outside of a poll", cq::readByteLength);
    mistake("ibv_end_poll outside of a poll", cq::endPoll);
    mistake(
        "ibv_wc_read_completion_ts of a queue that was not asked for it",
        cq::readCompletionTimestamp);
    mistake("ibv_create_cq_ex of no completion", () -> near.createCqEx(new CqInitAttr().cqe(0)));
  }

  private static SrqInitAttrEx srq() {
    return new SrqInitAttrEx().maxWr(2);
  }

  // ---- configuration and captures

  private void configuration() {
    setting("an unknown setting", Map.of("device.roce0.captur", "p.pcapng"));
    setting("a device without an address", Map.of("device.roce0.mtu", "1024"));
    deviceSetting("an MTU that RDMA has not", "mtu", "1500");
    deviceSetting("a fault that is none", "faults", "lose=1%");
    deviceSetting("too short a snap length", "snaplen", "20");
    deviceSetting("a capture that keeps no number of packets", "capture-packets", "first");
    deviceSetting("a transport that there is not", "transport", "rdma");
    mistake(
        "a capture into a directory that is not there",
        () -> {
          DeviceOptions captured =
              DeviceOptions.of("roce9", Gid.parse("127.0.0.9")).withUdpPort(freePort());
          Emulator.device(captured.withCapture(directory.resolve("none/p.pcapng"), 65535)).open();
        });
    mistake("an IPv4 address of three numbers", () -> Gid.parse("10.0.1"));
    DeviceOptions options = DeviceOptions.of("roce9", Gid.parse("127.0.0.9"));
    mistake("a UDP port that is none", () -> options.withUdpPort(70_000));
    mistake(
        "an address that the machine has not",
        () -> Emulator.device(DeviceOptions.of("roce9", Gid.parse("192.0.2.9"))).open());
  }

  /** A setting of a device that has an address. */
  private void deviceSetting(String what, String key, String value) {
    setting(what, Map.of("device.roce0.addresses", "127.0.0.1", "device.roce0." + key, value));
  }

  private void setting(String title, Map<String, String> flags) {
    mistake(title, () -> Configuration.load(flags));
  }

  // ---- command line

  private void commands() throws IOException {
    Path text = Files.writeString(directory.resolve("notes.txt"), "no capture at all");
    command("pingpng");
    command("pingpong", "--iter", "5");
    command("pingpong", "--iters", "none");
    command("pingpong", "--size", "1.5");
    command("pingpong", "--transport", "tcp");
    command("pingpong", "--faults", "drop nth=second");
    command("inspect", directory.resolve("missing.pcapng").toString());
    command("inspect", text.toString());
    command("inspect", "--filter", "colour=red", text.toString());
    command("view", directory.resolve("missing.pcapng").toString());
    command("explain", "REM_ACESS_ERR");
    command("perf", "write_bandwidth");
    command("simulate", "--seeds", "0");
    command("conformance", "--backend", "tcp");
    command("devinfo", "-d", "roce7");
  }

  @Override
  public void close() {
    manager.close();
    near.close();
    far.close();
    network.close();
  }
}
