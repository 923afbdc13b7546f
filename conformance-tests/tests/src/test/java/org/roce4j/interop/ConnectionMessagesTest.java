package org.roce4j.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricCapture;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/**
 * Messages of the connection manager, read by tshark and compared field by field: roce4j's own, and
 * those of Linux at the begin and end of an rping connection. Of MRA, REJ, SIDR_REQ and SIDR_REP
 * tshark 4.0 decodes only the second: these are compared with Linux's byte for byte, but for ids,
 * ephemeral ports and what the program says. Skipped without tshark.
 */
@Timeout(60)
class ConnectionMessagesTest {
  private static final Path CAPTURES = Path.of("..", "..", "wire-rocev2/src/test/resources/pcaps");

  private static final String MALFORMED = "malformed";

  /** Fields that are random, or that name the device. */
  private static final List<String> DIFFER =
      List.of(
          "bth.psn",
          "invariant.crc",
          "mad.transactionid",
          "(local|remote)commid",
          "cm.(req|rep|rtu|drsp|dreq)",
          "localcaguid",
          "qpn(eecn)?",
          // rxe asks for acknowledgements of datagrams, too; there are none.
          "bth.a",
          "startpsn",
          "flowlabel",
          // tshark 4.0 reads both from bits of the flow label.
          "prim_(reserved0|pktrate)",
          "ip_cm.sport",
          // The network's: 1024 in the guest, 4096 on the fabric.
          "pppmtu",
          // Linux 6.1 expects a packet lifetime four times that of 6.12.
          "prim_localacktout",
          // The parents of these fields.
          "infiniband.(bth|mad|mad.data|smplid.smpdata)",
          "ip_cm");

  @TempDir private static Path directory;
  private static Map<String, Map<String, String>> ours;
  private static Map<String, Map<String, String>> linux;

  /** Linux's MRA, REJ, SIDR_REQ and SIDR_REP. */
  private static Map<String, Map<String, String>> linuxRefusing;

  @BeforeAll
  static void capture() throws Exception {
    Tshark.assumeInstalled();
    Path file = directory.resolve("ours.pcapng");
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1));
        FabricCapture _ = network.fabric().capture(file);
        Context a = network.device("a", Gid.parse("10.77.0.3")).open();
        Context b = network.device("b", Gid.parse("10.77.0.2")).open();
        RdmaCm calling = RdmaCm.open(a);
        RdmaCm called = RdmaCm.open(b)) {
      EventChannel client = calling.createEventChannel();
      EventChannel server = called.createEventChannel();
      connectAndDisconnect(client, server);
      beRejectedLate(client, server);
      resolve(client, server);
    }
    ours = messages(file);
    linux = messages(CAPTURES.resolve("cm_rping.pcap"));
    linuxRefusing = messages(CAPTURES.resolve("cm_rej_mra_sidr.pcap"));
  }

  private static InetSocketAddress server(int port) {
    return new InetSocketAddress(InetAddress.ofLiteral("10.77.0.2"), port);
  }

  private static <T extends CmEvent> T next(EventChannel channel, Class<T> type) {
    CmEvent event = channel.getCmEvent(TimeUnit.MINUTES.toNanos(5));
    event.ack();
    return assertInstanceOf(type, event);
  }

  private static CmId asking(EventChannel client, PortSpace space, int port) {
    CmId id = client.createId(space);
    id.resolveAddr(null, server(port), 2000);
    next(client, CmEvent.AddrResolved.class);
    id.resolveRoute(2000);
    next(client, CmEvent.RouteResolved.class);
    return id;
  }

  private static CmId listening(EventChannel server, PortSpace space, int port) {
    CmId id = server.createId(space);
    id.bindAddr(server(port));
    id.listen(1);
    return id;
  }

  private static ConnParam parameters(int qpn) {
    return new ConnParam().responderResources(1).initiatorDepth(1).qpNum(qpn);
  }

  private static void connectAndDisconnect(EventChannel client, EventChannel server) {
    listening(server, PortSpace.TCP, 7174);
    CmId active = asking(client, PortSpace.TCP, 7174);
    active.connect(parameters(0x1f));
    CmId passive = next(server, CmEvent.ConnectRequest.class).id();
    passive.accept(parameters(0x20));
    next(client, CmEvent.ConnectResponse.class);
    active.establish();
    next(server, CmEvent.Established.class);
    active.disconnect();
    next(server, CmEvent.Disconnected.class);
    passive.disconnect();
    next(client, CmEvent.Disconnected.class);
    next(client, CmEvent.TimewaitExit.class);
    next(server, CmEvent.TimewaitExit.class);
  }

  /** The program takes so long that its connection manager asks for time (MRA). */
  private static void beRejectedLate(EventChannel client, EventChannel server) {
    listening(server, PortSpace.TCP, 7175);
    asking(client, PortSpace.TCP, 7175).connect(parameters(0x21));
    CmEvent.ConnectRequest request = next(server, CmEvent.ConnectRequest.class);
    server.getCmEvent(TimeUnit.SECONDS.toNanos(2));
    request.id().reject(new byte[] {7});
    next(client, CmEvent.Rejected.class);
  }

  private static void resolve(EventChannel client, EventChannel server) {
    listening(server, PortSpace.UDP, 7471);
    asking(client, PortSpace.UDP, 7471).connect(new ConnParam());
    next(server, CmEvent.ConnectRequest.class).id().accept(new ConnParam().qpNum(0x11));
    next(client, CmEvent.Established.class);
  }

  /** The first message of each kind: its fields with their values. */
  private static Map<String, Map<String, String>> messages(Path file) throws Exception {
    Map<String, Map<String, String>> byKind = new TreeMap<>();
    Path json = directory.resolve(file.getFileName() + ".json");
    Tshark.read(file, json, "-T", "json", "--no-duplicate-keys");
    for (JsonNode packet : new ObjectMapper().readTree(json.toFile())) {
      JsonNode layers = packet.at("/_source/layers");
      Map<String, String> fields = new TreeMap<>();
      flatten(layers.path("infiniband"), "", fields);
      if (layers.has("_ws.malformed")) {
        fields.put(MALFORMED, layers.path("_ws.malformed").toString());
      }
      String kind = fields.get("infiniband.mad.attributeid");
      if (kind != null) {
        byKind.putIfAbsent(kind, fields);
      }
    }
    return byKind;
  }

  private static void flatten(JsonNode node, String name, Map<String, String> into) {
    if (node.isObject()) {
      node.properties().forEach(each -> flatten(each.getValue(), each.getKey(), into));
    } else {
      into.put(name, node.isArray() ? node.toString() : node.asText());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0x0010", "0x0013", "0x0014", "0x0015", "0x0016"})
  void aMessageOfAConnectionHasTheFieldsAndValuesOfLinux(String kind) {
    assertEquals(linux.get(kind).keySet(), ours.get(kind).keySet());
    assertEquals(List.of(), differences(linux.get(kind), ours.get(kind)));
  }

  /** The bytes after the MAD header; {@code I} is a communication or request id. */
  @ParameterizedTest
  @CsvSource({
    // MRA of REQ, or REP: the code of the service timeout, 24, has the upper five bits.
    "0x0011, I I [04]0 c0 (00)*",
    // REJ of REQ: the reason, no additional information, the program's data.
    "0x0012, I I 00 00 00(08|1c) (00){72} ..*",
    // SIDR_REQ: P_Key, service, then the addresses, and what the program says.
    "0x0017, I ffff 0000 0000000001111d2f 00 40 .... (00){12} 0a4d0003 (00){12} 0a4d0002 ..*",
    // SIDR_REP: status 0, queue pair, service, Q_Key.
    "0x0018, I 00 00 0000 000011 00 0000000001111d2f 01234567 (00){72} ..*"
  })
  void aMessageThatTsharkDoesNotDecodeHasTheHeadersAndBytesOfLinux(String kind, String bytes) {
    Map<String, String> headers = new TreeMap<>(linux.get("0x0010"));
    headers.keySet().removeIf(field -> !field.matches("infiniband\\.(bth|deth|mad)\\..*"));
    headers.keySet().removeAll(Set.of("infiniband.mad.attributeid", "infiniband.mad.data"));
    assertEquals(List.of(), differences(headers, ours.get(kind)));
    String expected = bytes.replace("I", "[0-9a-f]{8}").replace(" ", "");
    assertMatches(expected, linuxRefusing.get(kind));
    assertMatches(expected, ours.get(kind));
  }

  private static void assertMatches(String expected, Map<String, String> message) {
    String data = message.get("infiniband.mad.data").replace(":", "");
    assertTrue(data.matches(expected), () -> data + " is not " + expected);
  }

  private static List<String> differences(Map<String, String> theirs, Map<String, String> own) {
    List<String> differences = new ArrayList<>();
    theirs.forEach(
        (field, value) -> {
          boolean may = DIFFER.stream().anyMatch(part -> field.matches(".*" + part));
          if (!may && !value.equals(own.get(field))) {
            differences.add("%s: Linux %s, ours %s".formatted(field, value, own.get(field)));
          }
        });
    return differences;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0x0010", "0x0011", "0x0012", "0x0013", "0x0014", "0x0015", "0x0016", "0x0017", "0x0018"
      })
  void noneIsMalformed(String kind) {
    assertTrue(ours.containsKey(kind), () -> "there is no " + kind + " in " + ours.keySet());
    assertFalse(ours.get(kind).containsKey(MALFORMED), kind);
  }
}
