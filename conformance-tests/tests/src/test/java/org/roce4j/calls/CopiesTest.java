package org.roce4j.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.connect.ConnectionOptions;
import org.roce4j.emulator.Faults;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.LinkModel;
import org.roce4j.port.PortOptions;
import org.roce4j.port.fault.FaultChoice;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultMatcher;
import org.roce4j.port.fault.PacketState;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.wire.Transport;

/** A wither changes one field and keeps the others; a copy keeps all fields. */
class CopiesTest {
  /** Records whose components all differ from their defaults. */
  static Stream<Record> records() {
    return Stream.of(
        new ConnectionOptions(
            1, 2, 3, 4, Mtu.MTU_256, Duration.ofSeconds(5), attr -> attr.timeout(6)),
        new FabricOptions(2, false, 3, 4, LinkModel.parse("delay=5us")),
        new PortOptions(List.of(Gid.parse("10.0.0.1")), 1, false),
        new FaultChoice(2, 3, 4, 0.5, 6, 7),
        new FaultMatcher(FaultDirection.IN, Transport.RC, 4, 5, 6, PacketState.NEW),
        Faults.parse("seed=3; links loss=1%; drop nth=3; refuse=ENOMEM call=registerMemory"));
  }

  @ParameterizedTest
  @MethodSource("records")
  void aComponentThatIsSetToWhatItIsChangesNothing(Record record) throws Exception {
    int setters = 0;
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      String name = component.getName();
      String setter = "with" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
      for (Method method : record.getClass().getMethods()) {
        if (method.getName().equals(setter)
            && Arrays.equals(method.getParameterTypes(), new Class<?>[] {component.getType()})) {
          assertEquals(record, method.invoke(record, component.getAccessor().invoke(record)), name);
          setters++;
        }
      }
    }
    assertTrue(setters > 0, "no component can be set");
  }

  @ParameterizedTest
  @ValueSource(classes = {QpInitAttr.class, SrqInitAttrEx.class, ConnParam.class})
  void aCopyHasEveryField(Class<?> type) throws Exception {
    Object original = type.getConstructor().newInstance();
    List<Field> fields =
        Arrays.stream(type.getDeclaredFields())
            .filter(field -> !Modifier.isStatic(field.getModifiers()))
            .toList();
    for (int i = 0; i < fields.size(); i++) {
      fields.get(i).setAccessible(true);
      fields.get(i).set(original, sample(fields.get(i).getType(), i + 1));
    }
    Object copy = type.getMethod("copy").invoke(original);
    for (Field field : fields) {
      Object expected = field.get(original);
      Object found = field.get(copy);
      assertTrue(
          expected.equals(found)
              || expected instanceof byte[] a && Arrays.equals(a, (byte[]) found),
          field.getName());
    }
  }

  /** A value that differs from every default. */
  private static Object sample(Class<?> type, int number) {
    if (type == boolean.class) {
      return true;
    }
    if (type == long.class) {
      return (long) number;
    }
    if (type == QpCapabilities.class) {
      return new QpCapabilities(number, number, number, number, number);
    }
    if (type.isArray()) {
      return Array.newInstance(type.componentType(), number);
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[type.getEnumConstants().length - 1];
    }
    return type == int.class || type == Object.class ? (Object) number : proxy(type);
  }

  private static Object proxy(Class<?> type) {
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (self, method, arguments) -> method.getName().equals("equals") && self == arguments[0]);
  }
}
