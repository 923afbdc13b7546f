package org.roce4j.wire.mad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.math.BigInteger;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.inspect.CaptureInspector;
import org.roce4j.wire.inspect.InspectedPacket;

/** Messages of the connection manager, against the layout of the specification and real peers. */
class MadTest {
  private static final JsonNode FIELDS = golden("cm-fields").get("messages");

  /** The record components whose names differ from the names of the fields. */
  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("LOCAL_COMM_ID", "localId"),
          Map.entry("REMOTE_COMM_ID", "remoteId"),
          Map.entry("LOCAL_CA_GUID", "caGuid"),
          Map.entry("LOCAL_Q_KEY", "qkey"),
          Map.entry("Q_KEY", "qkey"),
          Map.entry("LOCAL_QPN", "qpn"),
          Map.entry("REMOTE_QPN_EECN", "remoteQpn"),
          Map.entry("REMOTE_CM_RESPONSE_TIMEOUT", "remoteResponseTimeout"),
          Map.entry("LOCAL_CM_RESPONSE_TIMEOUT", "localResponseTimeout"),
          Map.entry("TRANSPORT_SERVICE_TYPE", "serviceType"),
          Map.entry("END_TO_END_FLOW_CONTROL", "flowControl"),
          Map.entry("PARTITION_KEY", "pkey"),
          Map.entry("PATH_PACKET_PAYLOAD_MTU", "pathMtu"),
          Map.entry("EXTENDED_TRANSPORT_TYPE", "extendedType"),
          Map.entry("LOCAL_EE_CONTEXT_NUMBER", "eecn"),
          Map.entry("FAILOVER_ACCEPTED", "failover"),
          Map.entry("MESSAGE_REJECTED", "rejected"),
          Map.entry("MESSAGE_MRAED", "arrived"),
          Map.entry("REJECTED_INFO_LENGTH", "infoLength"),
          Map.entry("ADDITIONAL_INFORMATION_LENGTH", "infoLength"),
          Map.entry("ADDITIONAL_INFORMATION", "info"),
          Map.entry("ARI", "info"),
          Map.entry("AR_STATUS", "status"),
          Map.entry("REQUESTID", "requestId"),
          Map.entry("SERVICEID", "serviceId"));

  private static JsonNode golden(String file) {
    try (var in = MadTest.class.getResourceAsStream("/golden/" + file + ".json")) {
      return new ObjectMapper().readTree(in);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static ByteBuffer mad(CmAttribute attribute, byte[] rest) {
    ByteBuffer b = ByteBuffer.allocate(Mad.SIZE).put(rest);
    MadHeader.of(attribute, 0x1122_3344_5566_7788L).emit(b);
    return b;
  }

  /** In the place of a message before it, all of whose bits were set. */
  private static ByteBuffer emitted(Mad mad) {
    ByteBuffer b = ByteBuffer.allocate(Mad.SIZE);
    for (int i = 0; i < Mad.SIZE; i++) {
      b.put(i, (byte) -1);
    }
    mad.emit(b, 0);
    return b;
  }

  /** The bits that a message has fields for; the others are reserved. */
  private static byte[] known(CmAttribute attribute) {
    byte[] mask = new byte[Mad.SIZE];
    for (int i = 0; i < MadHeader.SIZE; i++) {
      mask[i] = -1;
    }
    for (JsonNode field : FIELDS.get(attribute.name())) {
      int first = field.get("mad_offset").asInt() * 8 + field.get("bit").asInt();
      for (int bit = first; bit < first + field.get("width_bits").asInt(); bit++) {
        mask[bit / 8] |= (byte) (0x80 >> bit % 8);
      }
    }
    return mask;
  }

  @Property(tries = 200)
  void whatParsesIsEmittedAgainButForReservedBits(
      @ForAll CmAttribute attribute, @ForAll @Size(Mad.SIZE) byte[] random) {
    byte[] mask = known(attribute);
    byte[] bytes = Bytes.copy(mad(attribute, random), 0, Mad.SIZE).toArray();
    byte[] expected = bytes.clone();
    for (int i = 0; i < bytes.length; i++) {
      expected[i] &= mask[i];
    }
    Mad parsed = Mad.parse(ByteBuffer.wrap(bytes), 0, Mad.SIZE);
    ByteBuffer again = emitted(parsed);
    assertEquals(Bytes.of(expected), Bytes.copy(again, 0, Mad.SIZE));
    assertEquals(parsed, Mad.parse(again, 0, Mad.SIZE));
    assertFalse(parsed.message().toString().isEmpty());
  }

  @Property(tries = 500)
  void noBytesMakeTheParserThrow(@ForAll @Size(max = 300) byte[] random) {
    Mad mad = Mad.parse(ByteBuffer.wrap(random), 0, random.length);
    assertTrue(mad == null || random.length == Mad.SIZE);
  }

  /** Of each field by itself: all ones arrive at the component of its name, and nowhere else. */
  @TestFactory
  List<DynamicTest> everyFieldLiesWhereTheSpecificationHasIt() {
    List<DynamicTest> tests = new ArrayList<>();
    for (CmAttribute attribute : CmAttribute.values()) {
      Map<String, Object> zero = components(parse(attribute, new byte[Mad.SIZE]));
      for (JsonNode field : FIELDS.get(attribute.name())) {
        String name = field.get("field").asText();
        tests.add(
            DynamicTest.dynamicTest(attribute + " " + name, () -> lies(attribute, field, zero)));
      }
    }
    return tests;
  }

  private static void lies(CmAttribute attribute, JsonNode field, Map<String, Object> zero) {
    byte[] bytes = new byte[Mad.SIZE];
    int first = field.get("mad_offset").asInt() * 8 + field.get("bit").asInt();
    int width = field.get("width_bits").asInt();
    for (int bit = first; bit < first + width; bit++) {
      bytes[bit / 8] |= (byte) (0x80 >> bit % 8);
    }
    Map<String, Object> changed = components(parse(attribute, bytes));
    changed.entrySet().removeIf(one -> one.getValue().equals(zero.get(one.getKey())));
    String name = field.get("field").asText();
    List<String> expected = componentsOf(name);
    assertEquals(expected, List.copyOf(changed.keySet()));
    int bits = 0;
    for (Object value : changed.values()) {
      bits +=
          switch (value) {
            case Integer number -> Integer.bitCount(number);
            case Long number -> Long.bitCount(number);
            case Boolean _ -> 1;
            default -> new BigInteger(1, HexFormat.of().parseHex(value.toString())).bitCount();
          };
    }
    assertEquals(width, bits);
  }

  private static CmMessage parse(CmAttribute attribute, byte[] bytes) {
    Mad mad = Mad.parse(mad(attribute, bytes), 0, Mad.SIZE);
    assertEquals(attribute, mad.message().attribute());
    return mad.message();
  }

  private static Map<String, Object> components(Record record) {
    Map<String, Object> all = new LinkedHashMap<>();
    try {
      for (RecordComponent component : record.getClass().getRecordComponents()) {
        Object value = component.getAccessor().invoke(record);
        if (value instanceof CmPath path) {
          components(path).forEach((name, part) -> all.put(component.getName() + "." + name, part));
        } else {
          all.put(component.getName(), value);
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
    return all;
  }

  private static Map<String, Object> components(CmMessage message) {
    return components((Record) message);
  }

  /** The names of a field's components in a record; a GID has two. */
  private static List<String> componentsOf(String field) {
    if (field.startsWith("VENDOR_ID")) {
      return List.of("vendorId");
    }
    if (field.startsWith("PRIMARY_") || field.startsWith("ALTERNATE_")) {
      String path = field.startsWith("P") ? "primary." : "alternate.";
      String name = camel(field.substring(field.indexOf('_') + 1).replace("PORT_", ""));
      return switch (name) {
        case "localGid" -> List.of(path + "localHigh", path + "localLow");
        case "remoteGid" -> List.of(path + "remoteHigh", path + "remoteLow");
        case "packetRate" -> List.of(path + "rate");
        case "sl" -> List.of(path + "serviceLevel");
        case "localAckTimeout" -> List.of(path + "ackTimeout");
        default -> List.of(path + name);
      };
    }
    return List.of(NAMES.getOrDefault(field, camel(field)));
  }

  private static String camel(String name) {
    StringBuilder text = new StringBuilder();
    for (String word : name.toLowerCase(Locale.ROOT).split("_")) {
      String first = word.substring(0, 1);
      text.append(text.isEmpty() ? first : first.toUpperCase(Locale.ROOT));
      text.append(word.substring(1));
    }
    return text.toString();
  }

  @TestFactory
  List<DynamicTest> goldenMessagesParseToTheirFields() {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode vector : golden("cm-mads").get("vectors")) {
      tests.add(DynamicTest.dynamicTest(vector.get("name").asText(), () -> holds(vector)));
    }
    assertEquals(24, tests.size());
    return tests;
  }

  private static void holds(JsonNode vector) {
    byte[] bytes = HexFormat.of().parseHex(vector.get("mad").asText());
    Mad mad = Mad.parse(ByteBuffer.wrap(bytes), 0, bytes.length);
    assertEquals(vector.get("mad").asText(), Bytes.copy(emitted(mad), 0, Mad.SIZE).toString());
    Map<String, Object> components = components(mad.message());
    vector
        .get("fields")
        .properties()
        .forEach(
            field -> {
              List<String> names = componentsOf(field.getKey());
              StringBuilder value = new StringBuilder();
              for (String name : names) {
                value.append(text(components.get(name), names.size() > 1));
              }
              String expected = field.getValue().asText();
              boolean data = field.getValue().isTextual() && names.size() == 1;
              String actual =
                  data
                      ? value.substring(0, Math.min(expected.length(), value.length()))
                      : "" + value;
              assertEquals(expected, actual, field.getKey());
            });
  }

  private static String text(Object value, boolean half) {
    return switch (value) {
      case Boolean set -> set ? "1" : "0";
      case Integer number -> Integer.toUnsignedString(number);
      case Long number -> half ? String.format("%016x", number) : Long.toUnsignedString(number);
      default -> value.toString();
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"cm_rping", "cm_ucmatose", "cm_rej_mra_sidr", "rsocket_rstream"})
  void whatLinuxSaysIsReadFieldByFieldAndSealedAgain(String capture)
      throws IOException, URISyntaxException {
    List<InspectedPacket> packets = new ArrayList<>();
    Path file = Path.of(MadTest.class.getResource("/pcaps/" + capture + ".pcap").toURI());
    assertTrue(CaptureInspector.inspect(file, packets::add).allRight());
    int read = 0;
    for (InspectedPacket packet : packets) {
      if (!packet.toString().contains(" Q_Key 0x80010000 ")) {
        assertNull(packet.mad());
        continue;
      }
      Mad mad = packet.mad();
      assertNotNull(mad, packet.toString());
      String line = packet.toString();
      Bytes payload = ((Dissection.Roce) packet.dissection()).packet().payload();
      assertEquals(payload, Bytes.copy(emitted(mad), 0, Mad.SIZE), line);
      assertTrue(line.contains(mad.message().attribute() + " id 0x"), line);
      read++;
    }
    assertTrue(read >= 5, "messages of the connection manager in " + capture + ": " + read);
  }

  @Test
  void aLinuxRequestNamesAddressesPathAndService() throws IOException, URISyntaxException {
    List<Mad> mads = new ArrayList<>();
    Path file = Path.of(MadTest.class.getResource("/pcaps/cm_rping.pcap").toURI());
    CaptureInspector.inspect(file, packet -> mads.add(packet.mad()));
    Req req = assertInstanceOf(Req.class, mads.getFirst().message());
    assertEquals(ServiceId.TCP, ServiceId.portSpace(req.serviceId()));
    assertEquals(7174, ServiceId.port(req.serviceId()));
    assertEquals("10.77.0.3 > 10.77.0.2", req.primary().toString());
    assertEquals(20, req.remoteResponseTimeout());
    assertEquals(15, req.maxCmRetries());
    assertEquals(3, req.pathMtu());
    AddressHeader addresses = AddressHeader.parse(req.privateData());
    assertEquals(4, addresses.ipVersion());
    assertEquals("10.77.0.2", address(addresses.destinationHigh(), addresses.destinationLow()));
    assertEquals("10.77.0.3", address(addresses.sourceHigh(), addresses.sourceLow()));
    assertEquals(
        req.privateData(),
        CmAttribute.REQ.padded(addresses.before(AddressHeader.userData(req.privateData()))));
  }

  private static String address(long high, long low) {
    return GidAddress.addressText(high, low);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 17})
  void anotherVersionClassMethodOrAttributeIsNoMessage(int at) {
    byte[] bytes = Bytes.copy(mad(CmAttribute.RTU, new byte[Mad.SIZE]), 0, Mad.SIZE).toArray();
    bytes[at] ^= 0x40;
    assertNull(Mad.parse(ByteBuffer.wrap(bytes), 0, bytes.length));
  }

  @Test
  void attributesBesideTheConnectionManagersAreNoMessage() {
    assertNull(CmAttribute.ofId(0x000F));
    assertNull(CmAttribute.ofId(0x001B));
    assertNull(CmAttribute.ofId(0x0001), "ClassPortInfo");
  }

  @ParameterizedTest
  @EnumSource(CmAttribute.class)
  void privateDataIsPaddedAndNeverTooLong(CmAttribute attribute) {
    int room = attribute.privateDataLength();
    assertEquals(room, attribute.padded(Bytes.of((byte) 1)).length());
    assertThrows(IllegalArgumentException.class, () -> attribute.padded(Bytes.zeros(room + 1)));
  }

  @Property
  void addressesBeforePrivateDataComeBack(
      @ForAll boolean six, @ForAll int port, @ForAll long high, @ForAll long low) {
    long h = six ? high : 0;
    long l = six ? low : GidAddress.ipv4Mapped((int) low);
    AddressHeader header =
        new AddressHeader(six ? 6 : 4, port & 0xFFFF, h, l, h, ~l ^ (six ? 0 : -1L << 32));
    Bytes data = header.before(Bytes.of((byte) 7, (byte) 8));
    assertEquals(header, AddressHeader.parse(data));
    assertEquals("0708", AddressHeader.userData(data).toString());
  }

  @Test
  void anotherVersionOrFamilyIsNoAddressHeader() {
    assertNull(AddressHeader.parse(Bytes.zeros(AddressHeader.SIZE)), "neither IPv4 nor IPv6");
    assertNull(AddressHeader.parse(Bytes.zeros(AddressHeader.SIZE - 1)), "too short");
    byte[] other = new byte[AddressHeader.SIZE];
    other[0] = 1;
    other[1] = 0x40;
    assertNull(AddressHeader.parse(Bytes.of(other)), "version 1");
  }

  /** The additional information of a timeout is the GUID of its sender. */
  @Test
  void theSenderOfATimeoutIsNamedByEightBytes() {
    Rej rej = Rej.timedOut(1, 2, 0x0102030405060708L);
    assertEquals(8, rej.infoLength());
    assertEquals(0x0102030405060708L, ByteBuffer.wrap(rej.info().toArray()).getLong());
  }

  @Test
  void serviceIdsNamePortSpaceAndPort() {
    assertEquals(0x0106_1d2fL, ServiceId.of(ServiceId.TCP, 7471));
    assertEquals("TCP:7471", ServiceId.text(0x0106_1d2f));
    assertEquals("UDP:7471", ServiceId.text(0x0111_1d2f));
    assertEquals("IB:7471", ServiceId.text(0x013f_1d2f));
    assertEquals("IPOIB:7471", ServiceId.text(0x0002_1d2f));
    assertEquals("0x1000000000000001", ServiceId.text(0x1000_0000_0000_0001L));
    assertEquals("0x0001000001060001", ServiceId.text(0x1_0000_0106_0001L));
    assertEquals("28 (consumer defined)", RejCode.text(28));
    assertEquals("34", RejCode.text(34));
  }
}
