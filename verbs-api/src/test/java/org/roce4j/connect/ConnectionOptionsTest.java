package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;

/** Each option is the one that was asked for, and changes no other. */
class ConnectionOptionsTest {
  private static final Consumer<QpAttr> CHANGE = attr -> attr.retryCnt(1);

  /** An option, with a value that no other has. */
  private static final Map<String, Object> OTHERS =
      Map.of(
          "messageBytes", 11,
          "depth", 12,
          "portNum", 13,
          "gidIndex", 14,
          "pathMtu", Mtu.MTU_2048,
          "timeout", Duration.ofSeconds(15),
          "attributes", CHANGE);

  private static ConnectionOptions all() {
    return new ConnectionOptions(1, 2, 3, 4, Mtu.MTU_256, Duration.ofMillis(5), attr -> {});
  }

  private static Map<String, Object> values(ConnectionOptions options) throws Exception {
    Map<String, Object> values = new LinkedHashMap<>();
    for (RecordComponent each : ConnectionOptions.class.getRecordComponents()) {
      values.put(each.getName(), each.getAccessor().invoke(options));
    }
    return values;
  }

  @Test
  void oneChangesAndTheOthersStay() throws Exception {
    ConnectionOptions before = all();
    for (RecordComponent each : ConnectionOptions.class.getRecordComponents()) {
      String name = each.getName();
      String with = "with" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
      Map<String, Object> expected = values(before);
      expected.put(name, OTHERS.get(name));
      Object changed =
          ConnectionOptions.class.getMethod(with, each.getType()).invoke(before, OTHERS.get(name));
      assertEquals(expected, values((ConnectionOptions) changed), with);
    }
  }

  @Test
  void defaultsAreThoseOfTheCProgram() {
    ConnectionOptions usual = ConnectionOptions.DEFAULT;
    assertEquals(
        "messages of at most 4096 bytes, 16 receives, port 1, GID 0, path MTU of the port, PT10S",
        usual.toString());
    assertEquals(
        "messages of at most 1 bytes, 2 receives, port 3, GID 4, path MTU MTU_256, PT0.005S",
        all().toString());
  }

  @ParameterizedTest
  @CsvSource({
    "messageBytes, 1, 1073741824",
    "depth, 1, 32768",
    "portNum, 1, 255",
    "gidIndex, 0, 255"
  })
  void rangesEndWhereTheySay(String name, int least, int most) {
    IntFunction<ConnectionOptions> with =
        switch (name) {
          case "messageBytes" -> ConnectionOptions.DEFAULT::withMessageBytes;
          case "depth" -> ConnectionOptions.DEFAULT::withDepth;
          case "portNum" -> ConnectionOptions.DEFAULT::withPortNum;
          default -> ConnectionOptions.DEFAULT::withGidIndex;
        };
    assertNotEquals(with.apply(least), with.apply(most));
    for (int outside : List.of(least - 1, most + 1)) {
      assertTrue(refused(Errno.EINVAL, () -> with.apply(outside)).remedy().contains(name));
    }
  }

  @Test
  void missingObjectsAndTimesOfAnyLength() {
    ConnectionOptions usual = ConnectionOptions.DEFAULT;
    usual.withPathMtu(null).withTimeout(Duration.ZERO);
    Duration longest = Duration.ofSeconds(Long.MAX_VALUE);
    assertEquals(longest, usual.withTimeout(longest).timeout());
    refused(Errno.EINVAL, () -> usual.withTimeout(Duration.ofSeconds(Long.MIN_VALUE)));
    refused(Errno.EINVAL, () -> usual.withTimeout(null));
    refused(Errno.EINVAL, () -> usual.withTimeout(Duration.ofMillis(-1)));
    refused(Errno.EINVAL, () -> usual.withAttributes(null));
  }
}
