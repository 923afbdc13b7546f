package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;

/** A held datagram has all the properties that it had on arrival. */
class HeldDatagramTest {
  private static Inbound datagram(int number) {
    int length = 40 + number;
    ByteBuffer bytes = ByteBuffer.allocateDirect(length + 8);
    return new Inbound()
        .payload(bytes, MemorySegment.ofBuffer(bytes), 8, length)
        .source(10 * number + 1, 10 * number + 2, 10 * number + 3)
        .local(10 * number + 4, 10 * number + 5)
        .heardBy(10 * number + 6, 10 * number + 7)
        .network(10 * number + 8, 10 * number + 9)
        .icrc(IcrcVerdict.values()[number % IcrcVerdict.values().length]);
  }

  /** All properties of a datagram except the place of its bytes. */
  private static Map<String, Object> figures(Inbound inbound) throws ReflectiveOperationException {
    Map<String, Object> figures = new TreeMap<>();
    for (Method each : Inbound.class.getDeclaredMethods()) {
      boolean place = each.getName().equals("at");
      boolean figure = each.getReturnType().isPrimitive() || each.getReturnType().isEnum();
      if (Modifier.isPublic(each.getModifiers()) && each.getParameterCount() == 0) {
        if (figure && !place && !Modifier.isStatic(each.getModifiers())) {
          figures.put(each.getName(), each.invoke(inbound));
        }
      }
    }
    return figures;
  }

  /** Its room is larger than a datagram usually needs. */
  @Test
  void aDatagramOfAnyLengthIsHeld() {
    HeldDatagram held = new HeldDatagram();
    Inbound released = new Inbound();
    for (int length : new int[] {100, 8192, 8193, 65_507, 100}) {
      ByteBuffer bytes = ByteBuffer.allocateDirect(length);
      bytes.put(length - 1, (byte) length).put(0, (byte) 7);
      held.copy(new Inbound().payload(bytes, MemorySegment.ofBuffer(bytes), 0, length));
      held.restore(released);
      assertEquals(length, released.length());
      int last = released.at() + length - 1;
      assertEquals((byte) length, released.buffer().get(last));
      assertEquals((byte) length, released.memory().get(ValueLayout.JAVA_BYTE, last));
    }
  }

  @Test
  void eachFigureIsThatOfTheDatagramThoughItsRoomHeldAnother() throws ReflectiveOperationException {
    HeldDatagram held = new HeldDatagram();
    Inbound released = new Inbound();
    for (int number = 0; number < 10; number++) {
      Inbound came = datagram(number);
      held.copy(came);
      held.restore(released);
      assertEquals(figures(came), figures(released));
      HeldDatagram other = new HeldDatagram();
      other.forged(came, 28);
      other.restore(released);
      Map<String, Object> forged = figures(came);
      forged.put("length", 28);
      forged.put("icrc", IcrcVerdict.RIGHT);
      assertEquals(forged, figures(released));
    }
  }
}
