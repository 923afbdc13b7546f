package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every number and text against what a C program printed: {@code abi/constants.c}. */
class LibibverbsConstantsTest {
  private static final List<Class<?>> TYPES =
      List.of(
          WcStatus.class,
          WcOpcode.class,
          WrOpcode.class,
          QpState.class,
          QpType.class,
          MigState.class,
          Mtu.class,
          PortState.class,
          PhysicalPortState.class,
          LinkLayer.class,
          EventType.class,
          NodeType.class,
          TransportType.class,
          AtomicCap.class,
          GidType.class,
          SrqType.class,
          MwType.class,
          Rate.class,
          AccessFlags.class,
          SendFlags.class,
          WcFlags.class,
          QpAttrMask.class,
          SrqAttrMask.class,
          DeviceCapFlags.class,
          PortCapFlags.class,
          QpCreateFlags.class);

  record Row(String type, String constant, long value, String text) {
    Class<?> javaType() {
      return TYPES.stream().filter(t -> t.getSimpleName().equals(type)).findFirst().orElseThrow();
    }
  }

  static Stream<Row> rows() {
    return Stream.of("/abi/constants.txt", "/abi/constants-later.txt")
        .flatMap(name -> read(name).stream());
  }

  @ParameterizedTest
  @MethodSource("rows")
  void constantHasTheNumberAndTextOfLibibverbs(Row row) throws ReflectiveOperationException {
    Class<?> type = row.javaType();
    Field field = type.getField(row.constant);
    if (!type.isEnum()) {
      assertEquals(row.value, ((Number) field.get(null)).longValue());
      return;
    }
    Object constant = field.get(null);
    assertEquals((int) row.value, type.getMethod("value").invoke(constant));
    assertSame(constant, type.getMethod("of", int.class).invoke(null, (int) row.value));
    if (constant instanceof Rate rate) {
      assertEquals(row.text, rate.mbps() + " Mbit/s x" + rate.multiple());
    } else if (!row.text.isEmpty()) {
      assertEquals(row.text, type.getMethod("description").invoke(constant));
      assertEquals(row.text, type.getMethod("describe", int.class).invoke(null, (int) row.value));
    }
  }

  @Test
  void noConstantGoesUnchecked() {
    Set<String> checked = new TreeSet<>();
    rows().forEach(row -> checked.add(row.type + "." + row.constant));
    Set<String> declared = new TreeSet<>();
    for (Class<?> type : TYPES) {
      Arrays.stream(type.getFields())
          .filter(field -> Modifier.isStatic(field.getModifiers()))
          .filter(field -> !field.getName().equals("OPTIONAL_RANGE"))
          .forEach(field -> declared.add(type.getSimpleName() + "." + field.getName()));
    }
    assertEquals(declared, checked);
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -2, -1, 24, 136, 255, 256, 1 << 20, Integer.MAX_VALUE})
  void numberWithoutAConstantIsUnknown(int number) {
    List<IntFunction<String>> texts =
        List.of(
            WcStatus::describe,
            WrOpcode::describe,
            PortState::describe,
            EventType::describe,
            NodeType::describe);
    for (IntFunction<String> text : texts) {
      assertEquals("unknown", text.apply(number));
    }
    assertNull(WcStatus.of(number));
    assertNull(WcOpcode.of(number));
    assertNull(WrOpcode.of(number));
    assertNull(EventType.of(number));
    assertNull(Mtu.of(number));
    assertSame(NodeType.UNKNOWN, NodeType.of(number));
    assertSame(TransportType.UNKNOWN, TransportType.of(number));
    assertSame(QpState.UNKNOWN, QpState.of(number));
  }

  @ParameterizedTest
  @ValueSource(ints = {12, 13})
  void gapInTheOpcodesIsUnknown(int number) {
    assertNull(WrOpcode.of(number));
    assertEquals("unknown", WrOpcode.describe(number));
  }

  @Test
  void nodeTypeZeroIsUnknown() {
    assertSame(NodeType.UNKNOWN, NodeType.of(0));
    assertEquals("unknown", NodeType.describe(0));
  }

  @ParameterizedTest
  @CsvSource({
    "RDMA_WRITE,RDMA_WRITE",
    "RDMA_WRITE_WITH_IMM,RDMA_WRITE",
    "SEND,SEND",
    "SEND_WITH_IMM,SEND",
    "RDMA_READ,RDMA_READ",
    "ATOMIC_CMP_AND_SWP,COMP_SWAP",
    "ATOMIC_FETCH_AND_ADD,FETCH_ADD",
    "LOCAL_INV,LOCAL_INV",
    "BIND_MW,BIND_MW",
    "SEND_WITH_INV,SEND",
    "TSO,TSO",
    "DRIVER1,DRIVER1",
    "FLUSH,FLUSH",
    "ATOMIC_WRITE,ATOMIC_WRITE"
  })
  void sendOpcodeCompletesAs(WrOpcode opcode, WcOpcode completion) {
    assertSame(completion, opcode.completion());
  }

  @ParameterizedTest
  @EnumSource(WcOpcode.class)
  void bitSevenTellsReceives(WcOpcode opcode) {
    assertEquals((opcode.value() & 128) != 0, opcode.isReceive());
  }

  @ParameterizedTest
  @CsvSource({
    "COMPLETION_QUEUE,0", "QUEUE_PAIR,1 2 3 4 5 6 7 16", "SHARED_RECEIVE_QUEUE,14 15",
    "WORK_QUEUE,19", "PORT,9 10 11 12 13 17 18 20", "DEVICE,8"
  })
  void eventsConcern(EventType.Target target, String numbers) {
    List<String> found = new ArrayList<>();
    for (EventType event : EventType.values()) {
      if (event.target() == target) {
        found.add(Integer.toString(event.value()));
      }
    }
    assertEquals(numbers, String.join(" ", found));
  }

  @ParameterizedTest
  @CsvSource({"MTU_256,256", "MTU_512,512", "MTU_1024,1024", "MTU_2048,2048", "MTU_4096,4096"})
  void mtuKnowsItsBytes(Mtu mtu, int bytes) {
    assertEquals(bytes, mtu.bytes());
    assertSame(mtu, Mtu.ofBytes(bytes));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1, 128, 1000, 1500, 8192})
  void noMtuHasOtherBytes(int bytes) {
    assertNull(Mtu.ofBytes(bytes));
  }

  @ParameterizedTest
  @EnumSource(Rate.class)
  @Tag("ibv_rate_to_mult")
  @Tag("ibv_rate_to_mbps")
  @Tag("mult_to_ibv_rate")
  @Tag("mbps_to_ibv_rate")
  void rateIsFoundByItsConversions(Rate rate) {
    assertSame(rate, Rate.ofMbps(rate.mbps()));
    assertSame(rate.multiple() < 0 ? Rate.MAX : rate, Rate.ofMultiple(rate.multiple()));
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 3, 5001, Integer.MAX_VALUE})
  void speedWithoutARateIsTheMaximum(int number) {
    assertSame(Rate.MAX, Rate.ofMbps(number));
    assertSame(Rate.MAX, Rate.ofMultiple(number));
  }

  @Test
  void flagsPrintTheirNames() {
    assertEquals("0", AccessFlags.toString(0));
    assertEquals(
        "LOCAL_WRITE|REMOTE_READ",
        AccessFlags.toString(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ));
    assertEquals("SIGNALED|0x80000000", SendFlags.toString(SendFlags.SIGNALED | 1 << 31));
    assertEquals("0x600", WcFlags.toString(0x600));
    assertEquals("STATE|DEST_QPN|RATE_LIMIT", QpAttrMask.toString(1 | 1 << 20 | 1 << 25));
    assertEquals("MAX_WR|LIMIT", SrqAttrMask.toString(3));
    assertEquals("CM", PortCapFlags.toString(0x10000));
    assertEquals("SOURCE_QPN", QpCreateFlags.toString(1 << 10));
    assertEquals(
        "MEM_WINDOW|ATOMIC_WRITE|0x8000000000000000",
        DeviceCapFlags.toString(
            DeviceCapFlags.MEM_WINDOW | DeviceCapFlags.ATOMIC_WRITE | Long.MIN_VALUE));
  }

  @Test
  void optionalRangeIsBitsTwentyToTwentyNine() {
    int range = 0;
    for (int bit = 20; bit <= 29; bit++) {
      range |= 1 << bit;
    }
    assertEquals(range, AccessFlags.OPTIONAL_RANGE);
    assertTrue((AccessFlags.RELAXED_ORDERING & AccessFlags.OPTIONAL_RANGE) != 0);
  }

  private static List<Row> read(String resource) {
    List<Row> rows = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                LibibverbsConstantsTest.class.getResourceAsStream(resource),
                StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.startsWith("#")) {
          String[] columns = line.split("\\|", -1);
          rows.add(new Row(columns[0], columns[1], Long.parseLong(columns[2]), columns[3]));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }
}
