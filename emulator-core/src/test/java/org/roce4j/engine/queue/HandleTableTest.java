package org.roce4j.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class HandleTableTest {

  @Property(tries = 200)
  void namesWhatWasAddedAndNothingElse(@ForAll @Size(max = 100) List<Boolean> adds) {
    HandleTable<Object> table = new HandleTable<>();
    Map<Integer, Object> model = new HashMap<>();
    for (boolean add : adds) {
      if (add || model.isEmpty()) {
        Object object = new Object();
        assertNull(model.put(table.add(object), object));
      } else {
        int handle = model.keySet().iterator().next();
        table.remove(handle);
        model.remove(handle);
      }
      for (int handle = -1; handle < 120; handle++) {
        assertSame(model.get(handle), table.get(handle));
      }
    }
  }

  @Test
  void numbersAreDenseFromOneOn() {
    HandleTable<Object> table = new HandleTable<>();
    for (int i = 1; i <= 100; i++) {
      assertEquals(i, table.add("object " + i));
    }
    table.remove(7);
    assertEquals(7, table.add("another"));
  }

  @Test
  void knowsNothingByNumbersThatDoNotFit() {
    HandleTable<Object> table = new HandleTable<>();
    table.add("one");
    assertNull(table.get(0));
    assertNull(table.get(-1));
    assertNull(table.get((1L << 32) + 1));
    assertNull(table.get(Long.MIN_VALUE + 1));
    assertNull(table.get(Long.MAX_VALUE));
  }
}
