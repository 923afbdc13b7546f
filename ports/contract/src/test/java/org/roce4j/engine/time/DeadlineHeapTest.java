package org.roce4j.engine.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class DeadlineHeapTest {
  private static final int OWNERS = 20;

  /** Each number is an action on one of the deadlines; a map is the model. */
  @Property(tries = 500)
  void behavesLikeAMapOfTimes(
      @ForAll @Size(max = 200) List<@IntRange(max = 1 << 20) Integer> actions,
      @ForAll boolean nearTheWrap) {
    long origin = nearTheWrap ? Long.MAX_VALUE - 5 : 0;
    DeadlineHeap heap = new DeadlineHeap();
    List<Deadline> deadlines = new ArrayList<>();
    for (int i = 0; i < OWNERS; i++) {
      deadlines.add(new Deadline(nowNs -> {}));
    }
    Map<Deadline, Long> model = new HashMap<>();
    for (int action : actions) {
      Deadline deadline = deadlines.get(action % OWNERS);
      int what = action / OWNERS % 4;
      long at = action / OWNERS / 4 % 50;
      if (what <= 1) {
        heap.set(deadline, origin + at);
        model.put(deadline, at);
      } else if (what == 2) {
        heap.cancel(deadline);
        model.remove(deadline);
      } else {
        for (Deadline due = heap.pollDue(origin + at);
            due != null;
            due = heap.pollDue(origin + at)) {
          long earliest = model.values().stream().mapToLong(Long::longValue).min().orElseThrow();
          assertEquals(earliest, model.remove(due));
          assertTrue(earliest <= at);
          assertFalse(due.isSet());
        }
        assertTrue(model.values().stream().allMatch(left -> left > at));
      }
      assertEquals(model.size(), heap.size());
      assertEquals(
          model.isEmpty()
              ? Deadlines.NEVER
              : origin + model.values().stream().mapToLong(Long::longValue).min().getAsLong(),
          heap.nextNs());
      for (Deadline each : deadlines) {
        assertEquals(model.containsKey(each), each.isSet());
      }
    }
  }

  /** Each number sets one of the deadlines, clears it, or lets time pass. */
  @Property(tries = 500)
  void callsWhenItIsWantedLast(
      @ForAll @Size(max = 200) List<@IntRange(max = 1 << 20) Integer> actions) {
    DeadlineHeap heap = new DeadlineHeap();
    List<Deadline> deadlines = new ArrayList<>();
    for (int i = 0; i < OWNERS; i++) {
      deadlines.add(new Deadline(nowNs -> {}));
    }
    Map<Deadline, Long> model = new HashMap<>();
    long now = 0;
    for (int action : actions) {
      Deadline deadline = deadlines.get(action % OWNERS);
      int what = action / OWNERS % 4;
      long at = now + action / OWNERS / 4 % 50;
      if (what <= 1) {
        heap.want(deadline, at);
        model.put(deadline, at);
      } else if (what == 2) {
        heap.want(deadline, Deadlines.NEVER);
        model.remove(deadline);
      } else {
        now = at;
        for (Deadline due = heap.pollDue(now); due != null; due = heap.pollDue(now)) {
          assertTrue(model.remove(due) <= now);
        }
        long latest = now;
        assertTrue(model.values().stream().allMatch(left -> left > latest));
      }
      assertTrue(model.values().stream().allMatch(wanted -> wanted >= heap.nextNs()));
    }
  }

  @Test
  void aDeadlineThatIsNotSetCanBeCancelled() {
    DeadlineHeap heap = new DeadlineHeap();
    heap.cancel(new Deadline(nowNs -> {}));
    assertEquals(0, heap.size());
    assertNull(heap.pollDue(Long.MAX_VALUE));
  }

  /** {@link Deadlines#NEVER} is not a moment: the clock passes it and goes on. */
  @Test
  void whatIsWantedNoLongerIsNotCalledWhenTheClockWraps() {
    DeadlineHeap heap = new DeadlineHeap();
    long now = Deadlines.NEVER - 5;
    Deadline postponed = new Deadline(nowNs -> {});
    heap.want(postponed, now + 1);
    heap.want(postponed, Deadlines.NEVER);
    heap.want(new Deadline(nowNs -> {}), Deadlines.NEVER);
    assertNull(heap.pollDue(now + 2));
    assertEquals(0, heap.size());
    assertNull(heap.pollDue(now + 10));
  }

  /** The deadline that replaces a cancelled one may be due before its new parent. */
  @Test
  void aCancelledDeadlineLeavesTheOthersInOrder() {
    DeadlineHeap heap = new DeadlineHeap();
    List<Integer> called = new ArrayList<>();
    List<Deadline> deadlines = new ArrayList<>();
    for (int at : new int[] {0, 100, 1, 200, 200, 101, 102, 103, 104, 50}) {
      deadlines.add(new Deadline(nowNs -> called.add(at)));
      heap.set(deadlines.getLast(), at);
    }
    heap.cancel(deadlines.get(5));
    while (heap.size() > 0) {
      heap.pollDue(200).owner().handleTimeout(200);
    }
    assertEquals(List.of(0, 1, 50, 100, 102, 103, 104, 200, 200), called);
  }

  @Test
  void growsBeyondItsFirstSize() {
    DeadlineHeap heap = new DeadlineHeap();
    List<Integer> called = new ArrayList<>();
    for (int i = 1000; i > 0; i--) {
      int number = i;
      heap.set(new Deadline(nowNs -> called.add(number)), i);
    }
    for (int i = 1; i <= 1000; i++) {
      heap.pollDue(1000).owner().handleTimeout(1000);
    }
    assertEquals(IntStream.rangeClosed(1, 1000).boxed().toList(), called);
  }
}
