package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.connect.InterruptedCall.Moment;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.RdmaDevice;

/**
 * Each call of this package that waits, on platform and virtual threads, interrupted before and
 * while it waits, ends with EINTR. A call is taken for one that waits unless the table says that it
 * does not.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InterruptedCallsTest {
  /** A datagram is sent when its device has sent it. A close ends the waits of others. */
  private static final Set<String> DO_NOT_WAIT =
      Set.of(
          "CompletionDispatcher.dispatch",
          "CompletionDispatcher.expect",
          "CompletionDispatcher.forget",
          "Connection.expose",
          "Connection.listen",
          "DatagramEnd.address",
          "DatagramEnd.open",
          "DatagramEnd.send",
          "DatagramEnd.to",
          "ExposedBuffer.close",
          "ExposedBuffer.key",
          "ExposedBuffer.memory",
          "ExposedBuffer.region",
          "FailedRequestException.status",
          "Listener.close",
          "Listener.port",
          "MessageEnd.close",
          "MessageEnd.context",
          "MessageEnd.messageBytes",
          "MessageEnd.pd",
          "MessageEnd.qp",
          "RcPair.close",
          "RcPair.connect",
          "RecordCodec.decode",
          "RecordCodec.encode",
          "RecordCodec.of",
          "RecordCodec.signature",
          "UdPair.close",
          "UdPair.connect");

  @Nested
  @EmulatedRdma
  class OnTheFabric extends OnAnyPort {}

  @Nested
  @EmulatedRdma(transport = "linux")
  class OnPortLinux extends OnAnyPort {}

  @Nested
  @EmulatedRdma(transport = "netty")
  class OnPortNetty extends OnAnyPort {}

  abstract static class OnAnyPort {
    @Test
    void callsOfAnEndThatIsAlone(Context a, Context b) {
      try (StuckEnds ends = new StuckEnds(a, b)) {
        Map<String, String> wrong = new TreeMap<>();
        ends.callsThatWait(InterruptedCallsTest::waits).forEach(call -> call.tell(wrong));
        assertEquals(Map.of(), wrong);
        ends.work();
      }
    }

    /** The turn is another thread's, which waits, too. */
    @Test
    void callsThatWaitForTheirTurn(Context a, Context b) throws InterruptedException {
      try (StuckEnds ends = new StuckEnds(a, b)) {
        Map<String, String> wrong = new TreeMap<>();
        ends.takeTurns();
        ends.callsThatWait(InterruptedCallsTest::waits).forEach(call -> call.tell(wrong));
        ends.giveTurnsBack();
        assertEquals(Map.of(), wrong);
        ends.work();
      }
    }

    @Test
    void callsThatExchangeAddresses(RdmaDevice device, Context context) throws IOException {
      Map<String, String> wrong = new TreeMap<>();
      try (SilentPeers peers = new SilentPeers(device, context)) {
        for (Method method : methods(Connection.class, Listener.class)) {
          for (Moment moment : Moment.values()) {
            peers.calls(method, moment).forEach(call -> call.tell(wrong));
          }
        }
      }
      assertEquals(Map.of(), wrong);
    }

    private static Iterable<Method> methods(Class<?>... types) {
      return Stream.of(types)
          .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
          .filter(InterruptedCallsTest::isTable)
          .filter(InterruptedCallsTest::waits)
          .filter(method -> method.getName().matches("connect|accept"))
          .toList();
    }
  }

  @Test
  void everyCallIsInTheTable() {
    Set<String> all = calls().map(InterruptedCallsTest::name).collect(Collectors.toSet());
    Set<String> inherited = Set.of("DatagramEnd.send");
    assertEquals(
        Set.of(),
        DO_NOT_WAIT.stream()
            .filter(name -> !all.contains(name) && !inherited.contains(name))
            .collect(Collectors.toSet()));
    Set<String> played =
        Stream.concat(
                StuckEnds.CALLS.stream().map(name -> "MessageEnd." + name),
                StuckEnds.CALLS.stream().map(name -> "Connection." + name))
            .collect(Collectors.toSet());
    Set<String> exchanging = Set.of("Connection.connect", "Listener.accept");
    Set<String> missing =
        calls()
            .filter(InterruptedCallsTest::waits)
            .map(InterruptedCallsTest::name)
            .filter(name -> !played.contains(name) && !exchanging.contains(name))
            .collect(Collectors.toSet());
    assertEquals(Set.of(), missing);
    assertTrue(all.size() > 30, all::toString);
  }

  /** The public methods of the package's classes, without accessors of records. */
  private static Stream<Method> calls() {
    return new ClassFileImporter()
        .importPackages(Connection.class.getPackageName()).stream()
            .filter(type -> type.getPackageName().equals(Connection.class.getPackageName()))
            .filter(type -> !type.getSource().orElseThrow().getUri().toString().contains("test-"))
            .map(JavaClass::reflect)
            .filter(type -> Modifier.isPublic(type.getModifiers()))
            .filter(type -> !type.isRecord() || AutoCloseable.class.isAssignableFrom(type))
            .filter(type -> type != Message.class && type != QpAddress.class) // mere values
            .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
            .filter(InterruptedCallsTest::isTable);
  }

  private static boolean isTable(Method method) {
    return Modifier.isPublic(method.getModifiers())
        && !method.isSynthetic()
        && !Set.of("toString", "equals", "hashCode").contains(method.getName())
        && !(method.getDeclaringClass().isRecord()
            && method.getParameterCount() == 0
            && !method.getName().equals("close"));
  }

  private static String name(Method method) {
    return method.getDeclaringClass().getSimpleName() + "." + method.getName();
  }

  private static boolean waits(Method method) {
    return !DO_NOT_WAIT.contains(name(method));
  }
}
