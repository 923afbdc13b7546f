package org.roce4j.engine.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MwType;

class KeyTableTest {
  private static final MemorySegment MEMORY = Arena.ofAuto().allocate(4096);
  private static final int REGIONS = 60;
  private static final int WINDOWS = 40;

  private final Domain domain = new Domain();
  private final Accessor qp = new Accessor(domain);

  /** Steps: 0, 1: add; 2: remove the oldest; 3: remove the newest. The model is a map. */
  @Property(tries = 200)
  void findsWhatWasAddedUnderItsKeyAlone(
      @ForAll long seed, @ForAll @Size(max = 300) List<@IntRange(max = 3) Integer> actions) {
    KeyTable keys = new KeyTable(new SplittableRandom(seed), REGIONS, WINDOWS);
    Map<Integer, MemoryKey> model = new LinkedHashMap<>();
    Set<Integer> dead = new HashSet<>();
    for (int action : actions) {
      if (action <= 1) {
        MemoryKey added =
            action == 0
                ? keys.register(domain, MEMORY, 0, 0)
                : keys.allocate(domain, MwType.TYPE_2);
        Class<?> kind = action == 0 ? Region.class : Window.class;
        long alike = model.values().stream().filter(kind::isInstance).count();
        assertEquals(alike == (action == 0 ? REGIONS : WINDOWS), added == null);
        if (added != null) {
          assertNull(model.put(added.value(), added), "a key was given twice");
          dead.remove(added.value());
        }
      } else if (!model.isEmpty()) {
        List<Integer> all = new ArrayList<>(model.keySet());
        int key = action == 2 ? all.getFirst() : all.getLast();
        switch (model.remove(key)) {
          case Region region -> keys.remove(region);
          case Window window -> keys.remove(window);
        }
        dead.add(key);
      }
      assertEquals(model.size(), keys.size());
    }
    model.forEach((key, entry) -> assertSame(entry, keys.find(key)));
    model.keySet().forEach(key -> assertNull(keys.find(key ^ 1), "the low byte counts"));
    dead.forEach(key -> assertNull(keys.find(key), "a dead key was found"));
    assertNull(keys.find(0));
  }

  @Test
  void keysAreNotInOrder() {
    KeyTable keys = new KeyTable(new SplittableRandom(3), 10, 0);
    int first = keys.register(domain, MEMORY, 0, 0).value();
    int second = keys.register(domain, MEMORY, 0, 0).value();
    assertNotEquals(first + 0x100, second);
    assertNotEquals(0, first >>> 8);
  }

  @Test
  void noKeyIsGivenTwiceWhateverIsDrawn() {
    int first = 0x1234_5601;
    int free = 0x7788_9901;
    int[] drawn = {first, 0xff, first ^ 0x02, free};
    KeyTable keys = new KeyTable(drawing(drawn), 2, 0);
    assertEquals(first, keys.register(domain, MEMORY, 0, 0).value());
    assertEquals(free, keys.register(domain, MEMORY, 0, 0).value());
  }

  @Test
  void aKeyThatStandsBehindItsPlaceIsNotGivenTwiceEither() {
    int[] some = new SplittableRandom(6).ints(20, 0x100, Integer.MAX_VALUE).toArray();
    int free = 0x7788_9901;
    int[] drawn = Arrays.copyOf(some, 41);
    System.arraycopy(some, 0, drawn, 20, 20);
    drawn[40] = free;
    KeyTable keys = new KeyTable(drawing(drawn), 21, 0);
    for (int value : some) {
      assertEquals(value, keys.register(domain, MEMORY, 0, 0).value());
    }
    assertEquals(free, keys.register(domain, MEMORY, 0, 0).value());
  }

  private static RandomGenerator drawing(int... values) {
    return new RandomGenerator() {
      private int next;

      @Override
      public int nextInt() {
        return values[next++];
      }

      @Override
      public long nextLong() {
        throw new UnsupportedOperationException("keys are drawn as 32 bits");
      }
    };
  }

  @Test
  void eachKindHasItsLimit() {
    KeyTable keys = new KeyTable(new SplittableRandom(5), 1, 1);
    assertNotNull(keys.register(domain, MEMORY, 0, 0));
    assertNull(keys.register(domain, MEMORY, 0, 0));
    assertNotNull(keys.allocate(domain, MwType.TYPE_1));
    assertNull(keys.allocate(domain, MwType.TYPE_1));
  }

  @Test
  void manyComingsAndGoingsDoNotFillTheTable() {
    KeyTable keys = new KeyTable(new SplittableRandom(4), 4, 0);
    for (int i = 0; i < 10_000; i++) {
      Region region = keys.register(domain, MEMORY, 0, 0);
      assertNotNull(region);
      assertSame(region, keys.find(region.value()));
      keys.remove(region);
    }
    assertEquals(0, keys.size());
  }

  @Test
  void onlyABoundTypeTwoWindowOfThatQueuePairCanBeInvalidated() {
    KeyTable keys = new KeyTable(new SplittableRandom(5), 1, 2);
    Region region =
        keys.register(domain, MEMORY, 0x1000, AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND);
    Window window = keys.allocate(domain, MwType.TYPE_2);
    Window typeOne = keys.allocate(domain, MwType.TYPE_1);
    assertFalse(keys.invalidate(region.value(), qp));
    assertFalse(keys.invalidate(window.value(), qp), "not bound");
    int read = AccessFlags.REMOTE_READ;
    assertTrue(window.bind(5, region, 0x1000, 64, read, qp));
    assertTrue(typeOne.bind(5, region, 0x1000, 64, read, qp));
    assertFalse(keys.invalidate(typeOne.value(), qp));
    assertFalse(keys.invalidate(window.value(), new Accessor(domain)), "another queue pair");
    assertFalse(keys.invalidate(window.value(), new Accessor(new Domain())), "another domain");
    assertTrue(keys.invalidate(window.value(), qp));
    assertFalse(keys.invalidate(window.value(), qp), "once is enough");
    assertFalse(window.bound());
    assertTrue(region.hasWindows(), "the type 1 window is still bound");
    keys.remove(typeOne);
    assertFalse(region.hasWindows());
  }
}
