package org.roce4j.verbs.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Offsets against the C compiler's: {@code abi/layouts.c}. */
class LayoutsTest {
  private static final List<Class<?>> LAYOUTS =
      List.of(SgeLayout.class, RecvWrLayout.class, SendWrLayout.class, WcLayout.class);

  @Test
  void offsetsAreThoseOfTheCompiler() throws IOException, ReflectiveOperationException {
    Map<String, Integer> expected = new TreeMap<>();
    try (InputStream golden = LayoutsTest.class.getResourceAsStream("/abi/layouts.txt")) {
      String text = new String(golden.readAllBytes(), StandardCharsets.UTF_8);
      for (String line : text.lines().toList()) {
        String[] columns = line.split(" ");
        expected.put(columns[0] + "." + columns[1], Integer.parseInt(columns[2]));
      }
    }
    Map<String, Integer> actual = new TreeMap<>();
    for (Class<?> layout : LAYOUTS) {
      for (var field : layout.getFields()) {
        actual.put(layout.getSimpleName() + "." + field.getName(), field.getInt(null));
      }
    }
    assertEquals(expected, actual);
  }

  @TestFactory
  Stream<DynamicTest> accessorTouchesItsOwnBytesAndNoOthers() {
    return LAYOUTS.stream()
        .flatMap(layout -> Arrays.stream(layout.getDeclaredMethods()))
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> method.getReturnType() == void.class)
        .map(
            setter ->
                dynamicTest(
                    setter.getDeclaringClass().getSimpleName() + "." + setter.getName(),
                    () -> checkSetter(setter)));
  }

  private static void checkSetter(Method setter) throws ReflectiveOperationException {
    Class<?> layout = setter.getDeclaringClass();
    String constant = setter.getName().replaceAll("([A-Z])", "_$1").toUpperCase();
    int offset = layout.getField(constant).getInt(null);
    int width = setter.getParameterTypes()[2] == long.class ? 8 : narrow(constant);
    int size = layout.getField("SIZE").getInt(null);
    int structure = 3;
    byte[] bytes = new byte[structure + size + 8];
    MemorySegment memory = MemorySegment.ofArray(bytes);
    Object ones = width == 8 ? (Object) (-1L) : (Object) (-1);

    setter.invoke(null, memory, (long) structure, ones);

    Set<Integer> touched = new HashSet<>();
    Set<Integer> own = new HashSet<>();
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] != 0) {
        touched.add(i);
      }
    }
    for (int i = 0; i < width; i++) {
      own.add(structure + offset + i);
    }
    assertEquals(own, touched);
    Object read =
        layout
            .getMethod(setter.getName(), MemorySegment.class, long.class)
            .invoke(null, memory, (long) structure);
    Object expected =
        switch (width) {
          case 1 -> (Object) 0xff;
          case 2 -> (Object) 0xffff;
          default -> ones;
        };
    assertEquals(expected, read);
  }

  private static int narrow(String constant) {
    return switch (constant) {
      case "PKEY_INDEX", "SLID" -> 2;
      case "SL", "DLID_PATH_BITS" -> 1;
      default -> 4;
    };
  }

  @Property
  void immediateDataLiesInNetworkOrderAndKeysInNativeOrder(@ForAll int number) {
    byte[] bytes = new byte[SendWrLayout.SIZE];
    MemorySegment memory = MemorySegment.ofArray(bytes);
    ByteBuffer network = ByteBuffer.wrap(bytes);
    ByteBuffer host = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());

    SendWrLayout.immData(memory, 0, number);
    assertEquals(number, network.getInt(SendWrLayout.IMM_DATA));
    assertEquals(number, SendWrLayout.immData(memory, 0));

    SendWrLayout.invalidateRkey(memory, 0, number);
    assertEquals(number, host.getInt(SendWrLayout.INVALIDATE_RKEY));

    WcLayout.immData(memory, 0, number);
    assertEquals(number, network.getInt(WcLayout.IMM_DATA));
    WcLayout.invalidatedRkey(memory, 0, number);
    assertEquals(number, host.getInt(WcLayout.INVALIDATED_RKEY));
  }

  @Property
  void longsAreKeptWhole(@ForAll long number) {
    MemorySegment memory = MemorySegment.ofArray(new byte[SendWrLayout.SIZE + 1]);
    SendWrLayout.atomicSwap(memory, 1, number);
    assertEquals(number, SendWrLayout.atomicSwap(memory, 1));
  }

  @Example
  void requestsSpanWholeCacheLines() {
    assertEquals(0, SendWrLayout.SIZE % 64);
  }
}
