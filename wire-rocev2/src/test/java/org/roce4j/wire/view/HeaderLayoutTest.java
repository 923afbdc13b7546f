package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.RecordComponent;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.ExtensionHeader;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.CmAttribute;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.view.HeaderLayout.Field;

class HeaderLayoutTest {
  private final Map<String, HeaderLayout> all = HeaderLayout.all();

  @Test
  void fieldsFollowEachOtherToTheEndOfTheHeader() {
    Map<String, Integer> sizes =
        Map.of("IPV4", 20, "IPV6", 40, "UDP", 8, "BTH", Bth.SIZE, "ICRC", 4);
    all.forEach(
        (name, layout) -> {
          int bit = 0;
          for (Field field : layout.fields()) {
            assertEquals(bit, field.firstBit(), name + " " + field.name());
            bit += field.bits();
          }
          Integer size = sizes.get(name);
          assertEquals(size == null ? ExtensionHeader.valueOf(name).size() : size, bit / 8, name);
        });
    assertEquals(sizes.size() + ExtensionHeader.values().length, all.size());
  }

  /** The page reads by this table what {@code inspect} reads by the records. */
  @ParameterizedTest
  @EnumSource
  void theTableReadsWhatTheRecordsRead(ExtensionHeader header) throws ReflectiveOperationException {
    byte[] bytes = new byte[header.size()];
    new Random(header.ordinal()).nextBytes(bytes);
    Extension extension = Extension.parse(header, ByteBuffer.wrap(bytes), 0);
    if (header == ExtensionHeader.CNP_RESERVED) {
      return;
    }
    RecordComponent[] components = extension.getClass().getRecordComponents();
    assertEquals(components.length, all.get(header.name()).fields().size());
    for (Field field : all.get(header.name()).fields()) {
      Object value = extension.getClass().getMethod(field.key()).invoke(extension);
      BigInteger mask = BigInteger.ONE.shiftLeft(field.bits()).subtract(BigInteger.ONE);
      assertEquals(
          BigInteger.valueOf(((Number) value).longValue()).and(mask),
          new BigInteger(1, bytes)
              .shiftRight(bytes.length * 8 - field.firstBit() - field.bits())
              .and(mask),
          field.name());
    }
  }

  /** Every bit of a message has its row, and every component of its record a row with its name. */
  @ParameterizedTest
  @EnumSource
  void theTableReadsOfAMessageWhatItsRecordReads(CmAttribute attribute)
      throws ReflectiveOperationException {
    byte[] bytes = new byte[Mad.SIZE];
    new Random(attribute.ordinal()).nextBytes(bytes);
    ByteBuffer.wrap(bytes).put(0, new byte[] {1, 7, 2, 3}).putShort(16, (short) attribute.id());
    Mad mad = Mad.parse(ByteBuffer.wrap(bytes), 0, Mad.SIZE);
    Map<String, BigInteger> header = read("MAD", bytes, 0, 24);
    assertEquals(numbers("", mad.header(), header), header);
    Map<String, BigInteger> message = read(attribute.name(), bytes, 24, Mad.SIZE - 24);
    assertEquals(numbers("", (Record) mad.message(), message), message);
  }

  @Test
  void theTableReadsTheAddressesOfRdmaCm() throws ReflectiveOperationException {
    AddressHeader addresses = new AddressHeader(6, 50_005, 0x20010DB8_00000000L, 1, 3, 4);
    byte[] bytes = addresses.before(Bytes.NONE).toArray();
    Map<String, BigInteger> read = read("ADDRESSES", bytes, 0, AddressHeader.SIZE);
    assertEquals(BigInteger.ZERO, read.remove("version"));
    assertEquals(numbers("", addresses, read), read);
  }

  /** The values of a part of a message by key; those with the same key are parts of one value. */
  private static Map<String, BigInteger> read(String part, byte[] bytes, int at, int length) {
    BigInteger all = new BigInteger(1, Arrays.copyOfRange(bytes, at, at + length));
    Map<String, BigInteger> values = new TreeMap<>();
    int bit = 0;
    for (Field field : HeaderLayout.messages().get(part).fields()) {
      assertEquals(bit, field.firstBit(), part + " " + field.name());
      bit += field.bits();
      BigInteger value = all.shiftRight(length * 8 - bit).and(ones(field.bits()));
      if (!field.key().equals("reserved")) {
        values.merge(field.key(), value, (high, low) -> high.shiftLeft(field.bits()).or(low));
      }
    }
    assertEquals(length * 8, bit, part);
    return values;
  }

  private static BigInteger ones(int bits) {
    return BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE);
  }

  /** The components of a record; two halves of an address are one value. */
  private static Map<String, BigInteger> numbers(
      String prefix, Record record, Map<String, BigInteger> read)
      throws ReflectiveOperationException {
    Map<String, BigInteger> numbers = new TreeMap<>();
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      Object value = component.getAccessor().invoke(record);
      String key = prefix + component.getName();
      switch (value) {
        case Bytes data -> numbers.put(key, new BigInteger(1, data.toArray()));
        case Boolean flag -> numbers.put(key, flag ? BigInteger.ONE : BigInteger.ZERO);
        case Record inner -> numbers.putAll(numbers(key + ".", inner, read));
        case Number number -> {
          int bits = number instanceof Long ? Long.SIZE : Integer.SIZE;
          BigInteger unsigned = BigInteger.valueOf(number.longValue()).and(ones(bits));
          numbers.merge(
              read.containsKey(key) ? key : key.replaceFirst("(High|Low)$", ""),
              unsigned,
              (high, low) -> high.shiftLeft(Long.SIZE).or(low));
        }
        default -> throw new AssertionError(key);
      }
    }
    return numbers;
  }

  @ParameterizedTest
  @EnumSource
  void everyRuleHasItsSection(ProtocolRule rule) throws Exception {
    Path document = Path.of("../docs/specification", rule.document() + ".md");
    String heading = "#+ " + rule.section().replace(".", "\\.") + "\\.? .*";
    assertTrue(
        Files.readString(document).lines().anyMatch(line -> line.matches(heading)),
        () -> rule + " names no section: " + rule.section());
    assertTrue(rule.sentence().endsWith("."), rule.sentence());
    assertTrue(rule.sentence().toLowerCase(Locale.ROOT).length() < 200, "one sentence: " + rule);
  }
}
