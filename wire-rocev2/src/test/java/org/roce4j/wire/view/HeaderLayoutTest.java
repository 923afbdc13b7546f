package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.RecordComponent;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.wire.Bth;
import org.roce4j.wire.ExtensionHeader;
import org.roce4j.wire.capture.Extension;
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

  @ParameterizedTest
  @EnumSource
  void everyRuleHasItsSection(Rule rule) throws Exception {
    Path document = Path.of("../docs/specification", rule.document() + ".md");
    String heading = "#+ " + rule.section().replace(".", "\\.") + "\\.? .*";
    assertTrue(
        Files.readString(document).lines().anyMatch(line -> line.matches(heading)),
        () -> rule + " names no section: " + rule.section());
    assertTrue(rule.sentence().endsWith("."), rule.sentence());
    assertTrue(rule.sentence().toLowerCase(Locale.ROOT).length() < 200, "one sentence: " + rule);
  }
}
