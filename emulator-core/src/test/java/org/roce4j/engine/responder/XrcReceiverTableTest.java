package org.roce4j.engine.responder;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Adds and removes at random, and compares the searches with those of a map. */
class XrcReceiverTableTest {
  /** Far fewer than there are: many share a place in the table. */
  private static final int NUMBERS = 4096;

  private static XrcReceiver receiver(int number) {
    return (XrcReceiver)
        Proxy.newProxyInstance(
            XrcReceiver.class.getClassLoader(),
            new Class<?>[] {XrcReceiver.class},
            (_, method, _) -> method.getName().equals("srqNumber") ? number : null);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 20, 300})
  void findsWhatAMapFinds(int atMost) {
    Random random = new Random(atMost);
    XrcReceiverTable table = new XrcReceiverTable();
    Map<Integer, XrcReceiver> model = new HashMap<>();
    for (int i = 0; i < 4000; i++) {
      if (model.size() < random.nextInt(atMost) + 1) {
        int number = random.nextInt(1, NUMBERS);
        if (model.containsKey(number)) {
          continue;
        }
        XrcReceiver added = receiver(number);
        table.add(added);
        model.put(number, added);
      } else {
        List<Integer> numbers = List.copyOf(model.keySet());
        int number = numbers.get(random.nextInt(numbers.size()));
        XrcReceiver gone = model.remove(number);
        table.remove(gone);
        table.remove(gone); // changes nothing
        assertNull(table.find(number));
      }
      model.forEach((number, expected) -> assertSame(expected, table.find(number)));
      int any = random.nextInt(NUMBERS);
      assertSame(model.get(any), table.find(any));
    }
  }

  @Test
  void aFreshNumberIsNotZeroAndNobodys() {
    XrcReceiverTable table = new XrcReceiverTable();
    for (int i = 0; i < 50; i++) {
      int number = table.freshNumber(new Random(1)); // draws the numbers before once more
      assertNotEquals(0, number);
      assertNull(table.find(number));
      table.add(receiver(number));
    }
  }
}
