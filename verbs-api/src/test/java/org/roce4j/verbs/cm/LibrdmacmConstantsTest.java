package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every number against what a C program printed: {@code abi/cm-constants.c}. */
class LibrdmacmConstantsTest {
  static Stream<String> rows() throws IOException {
    try (InputStream golden =
        LibrdmacmConstantsTest.class.getResourceAsStream("/abi/cm-constants.txt")) {
      return new String(golden.readAllBytes(), StandardCharsets.UTF_8).lines().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void constantHasTheNumberOfLibrdmacm(String row) throws ReflectiveOperationException {
    String[] columns = row.split(" ");
    String[] where = columns[0].split("\\.");
    Class<?> type = Class.forName("org.roce4j.verbs.cm." + where[0]);
    Object constant = type.getField(columns[1]).get(null);
    String getter = where.length > 1 ? where[1] : "value";
    Object number = type.isEnum() ? type.getMethod(getter).invoke(constant) : constant;
    assertEquals(Integer.parseInt(columns[2]), number);
    if (constant instanceof CmEventType event) {
      assertEquals(columns[3], event.text());
      assertEquals(event, CmEventType.of(event.value()));
    }
  }

  @Test
  void everyConstantOfAnEnumIsThere() throws IOException {
    List<String> checked = rows().toList();
    for (Enum<?>[] values :
        List.<Enum<?>[]>of(CmEventType.values(), PortSpace.values(), JoinFlag.values())) {
      for (Enum<?> each : values) {
        String start = each.getDeclaringClass().getSimpleName() + " " + each.name() + " ";
        assertEquals(1, checked.stream().filter(row -> row.startsWith(start)).count(), start);
      }
    }
  }

  @Test
  void optionsAreNumberedWithinTheirLevel() {
    assertEquals(
        List.of("0.0", "0.1", "0.2", "0.3", "1.1"),
        Arrays.stream(CmOption.values())
            .map(option -> option.level() + "." + option.number())
            .toList());
  }

  @Test
  void reasonsAndStatusesAreThoseOfTheSpecification() {
    assertEquals(28, RejectReason.CONSUMER_DEFINED.value());
    assertEquals(
        35, Arrays.stream(RejectReason.values()).mapToInt(RejectReason::value).max().getAsInt());
    assertEquals(RejectReason.INVALID_SERVICE_ID, RejectReason.of(8));
    assertEquals(null, RejectReason.of(34));
    assertEquals(SidrStatus.UNSUPPORTED_VERSION, SidrStatus.of(5));
    assertEquals(0x0000_0000_0106_1D2FL, PortSpace.TCP.serviceId(0x1D2F));
    assertEquals(SidrStatus.values()[0], SidrStatus.of(0));
    for (int none : new int[] {-1, 99, CmEventType.values().length}) {
      assertEquals(null, CmEventType.of(none));
      assertEquals(null, SidrStatus.of(none));
      assertEquals(null, PortSpace.of(none));
    }
    for (PortSpace each : PortSpace.values()) {
      assertEquals(each, PortSpace.of(each.value()));
    }
  }
}
