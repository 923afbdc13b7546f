package org.roce4j.engine.queue;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.layout.WcLayout;

class CompletionRingTest {
  private static final int QPN = 17;
  private static final long PERIOD_NS = 1000;
  private static final int ROUNDS = 20_000;

  private int announced;
  private int overflows;
  private int periods;
  private long nowNs;

  private final CompletionRing.RingListener listener =
      new CompletionRing.RingListener() {
        @Override
        public void completionEvent(int qpNum) {
          announced++;
        }

        @Override
        public void overflow(int qpNum, boolean first) {
          assertEquals(overflows == 0, first);
          overflows++;
        }

        @Override
        public void held(int qpNum, long ns) {
          assertEquals(PERIOD_NS, ns);
          periods++;
        }

        @Override
        public long completedNs(int qpNum) {
          return ++nowNs;
        }
      };

  private static void push(CompletionRing ring, long wrId, int qpNum) {
    push(ring, wrId, qpNum, WcStatus.SUCCESS, false);
  }

  private static void push(
      CompletionRing ring, long wrId, int qpNum, WcStatus status, boolean solicited) {
    long slot = ring.claim(wrId, status, WcOpcode.SEND, 5, qpNum);
    if (slot != CompletionRing.NONE) {
      ring.publish(slot, solicited);
    }
  }

  private record Pushed(long wrId, int qpNum, long ns) {}

  /** Steps: 0..3 push, 4 takes one, 5 polls three, 6 purges, 7 resizes. The model is a queue. */
  @Property(tries = 500)
  void isABoundedQueue(
      @ForAll @IntRange(min = 1, max = 9) int entries,
      @ForAll @Size(max = 120) List<@IntRange(max = 255) Integer> actions) {
    overflows = 0;
    nowNs = 0;
    CompletionRing ring =
        new CompletionRing(entries, listener, new CompletionRing.Kind(true, false));
    Queue<Pushed> model = new ArrayDeque<>();
    int expectedOverflows = 0;
    long next = 0;
    try (WorkCompletions polled = new WorkCompletions(4)) {
      for (int action : actions) {
        int what = action % 8;
        if (what <= 3) {
          int qpNum = QPN + what % 2;
          if (model.size() == ring.capacity()) {
            expectedOverflows++;
          } else {
            model.add(new Pushed(next, qpNum, nowNs + 1));
          }
          push(ring, next++, qpNum);
        } else if (what == 4) {
          assertTakes(ring, model);
        } else if (what == 5) {
          assertPolls(ring, polled, model);
        } else if (what == 6) {
          int gone = action < 32 ? QPN : QPN + 1;
          ring.purge(gone);
          model.removeIf(pushed -> pushed.qpNum == gone);
        } else {
          int wanted = 1 + action / 16;
          assertEquals(wanted >= ring.size(), ring.resize(wanted));
        }
        assertEquals(model.size(), ring.size());
        assertEquals(expectedOverflows, overflows);
        assertEquals(overflows > 0, ring.overflowed());
      }
    }
  }

  /** Requires that the ring has the model's oldest completion, with its time, if there is any. */
  private static void assertTakes(CompletionRing ring, Queue<Pushed> model) {
    MemorySegment taken = MemorySegment.ofArray(new long[CompletionRing.TAKEN_BYTES / Long.BYTES]);
    assertEquals(!model.isEmpty(), ring.take(taken));
    if (!model.isEmpty()) {
      long ns = taken.get(ValueLayout.JAVA_LONG, CompletionRing.STAMP);
      int qpNum = WcLayout.qpNum(taken, 0);
      assertEquals(model.remove(), new Pushed(WcLayout.wrId(taken, 0), qpNum, ns));
    }
  }

  /** Requires that a poll returns the model's three oldest completions. */
  private static void assertPolls(
      CompletionRing ring, WorkCompletions polled, Queue<Pushed> model) {
    int count = ring.poll(polled.memory(), 0, 3);
    assertEquals(Math.min(3, model.size()), count);
    for (int i = 0; i < count; i++) {
      Pushed oldest = model.remove();
      assertEquals(oldest.wrId, polled.wrId(i));
      assertEquals(oldest.qpNum, polled.qpNum(i));
    }
  }

  @Test
  void aQueueOfOneEntryOverwritesNothing() {
    CompletionRing ring = new CompletionRing(1, listener);
    for (int i = 0; i <= ring.capacity(); i++) {
      push(ring, i, QPN);
    }
    assertEquals(1, overflows);
    try (WorkCompletions polled = new WorkCompletions(4)) {
      assertEquals(ring.capacity(), ring.poll(polled.memory(), 0, 4));
      assertEquals(0, polled.wrId(0));
    }
  }

  @Test
  void aQueueThatMayOverrunLosesWhatFindsNoRoomAndDoesNotFail() {
    CompletionRing ring = new CompletionRing(2, listener, new CompletionRing.Kind(false, true));
    for (int i = 0; i < 3; i++) {
      push(ring, i, QPN);
    }
    assertEquals(0, overflows);
    assertFalse(ring.overflowed());
    try (WorkCompletions polled = new WorkCompletions(4)) {
      assertEquals(2, ring.poll(polled.memory(), 0, 4));
      assertEquals(1, polled.wrId(1));
    }
  }

  @Test
  void aSendThatSucceedsIsNotSolicited() {
    CompletionRing ring = new CompletionRing(4, listener);
    ring.arm(true);
    ring.push(1, WcStatus.SUCCESS, WcOpcode.SEND, 5, QPN);
    assertEquals(0, announced);
    ring.push(2, WcStatus.RETRY_EXC_ERR, WcOpcode.SEND, 0, QPN);
    assertEquals(1, announced);
  }

  @Test
  void tellsEveryField() {
    CompletionRing ring = new CompletionRing(4, listener);
    long first = ring.claim(-5, WcStatus.REM_OP_ERR, WcOpcode.RECV, 0xffff_fff0L, 0xabcdef);
    ring.datagram(first, 7);
    ring.immediate(first, 0xcafebabe);
    ring.publish(first, false);
    long second = ring.claim(6, WcStatus.SUCCESS, WcOpcode.RECV, 1, 1);
    ring.invalidated(second, 0xcafebabe);
    ring.publish(second, false);
    ring.push(7, WcStatus.SUCCESS, WcOpcode.SEND, 1, 1);
    try (WorkCompletions polled = new WorkCompletions(4)) {
      assertEquals(3, ring.poll(polled.memory(), 0, 4));
      assertEquals(-5, polled.wrId(0));
      assertEquals(WcStatus.REM_OP_ERR, polled.status(0));
      assertEquals(WcOpcode.RECV, polled.opcode(0));
      assertEquals(-16, polled.byteLength(0));
      assertEquals(0xcafebabe, polled.immediate(0));
      assertEquals(0xabcdef, polled.qpNum(0));
      assertEquals(7, polled.sourceQp(0));
      assertEquals(WcFlags.WITH_IMM | WcFlags.GRH, polled.flags(0));
      assertEquals(0, polled.pkeyIndex(0));
      assertEquals(0xcafebabe, polled.invalidatedRkey(1));
      assertEquals(WcFlags.WITH_INV, polled.flags(1));
      assertEquals(0, polled.flags(2), "nothing of what others say");
    }
  }

  /** A slot that is used again contains nothing of the completion before. */
  @Test
  void tellsNothingOfTheOneBefore() {
    CompletionRing ring = new CompletionRing(2, listener);
    try (WorkCompletions polled = new WorkCompletions(2)) {
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < ring.capacity(); i++) {
          long full = ring.claim(-1, WcStatus.REM_OP_ERR, WcOpcode.RECV, 77, 0xabcdef);
          ring.datagram(full, 7);
          ring.immediate(full, 0xcafebabe);
          ring.publish(full, false);
        }
        assertEquals(2, ring.poll(polled.memory(), 0, 2));
        for (int i = 0; i < ring.capacity(); i++) {
          ring.push(i, WcStatus.SUCCESS, WcOpcode.SEND, 0, 0);
        }
        assertEquals(2, ring.poll(polled.memory(), 0, 2));
        for (int i = 0; i < ring.capacity(); i++) {
          byte[] bytes = new byte[WcLayout.SIZE];
          MemorySegment plain = MemorySegment.ofArray(bytes);
          WcLayout.wrId(plain, 0, i);
          MemorySegment told = polled.memory().asSlice(i * WcLayout.SIZE, WcLayout.SIZE);
          assertArrayEquals(bytes, told.toArray(ValueLayout.JAVA_BYTE));
        }
      }
    }
  }

  /** A poll finds nothing only if the ring is empty, even while another poll takes completions. */
  @Test
  void twoPollsFindTwoCompletions() throws InterruptedException {
    CompletionRing ring = new CompletionRing(2, listener, CompletionRing.Kind.PLAIN);
    AtomicInteger round = new AtomicInteger();
    AtomicInteger found = new AtomicInteger();
    AtomicInteger polled = new AtomicInteger();
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  WorkCompletions taken = new WorkCompletions(1);
                  for (int next = 1; next <= ROUNDS; next++) {
                    reach(round, next);
                    found.addAndGet(taken(ring, taken));
                    polled.set(next);
                  }
                });
    WorkCompletions taken = new WorkCompletions(1);
    int lost = 0;
    for (int next = 1; next <= ROUNDS; next++) {
      push(ring, 2 * next, QPN);
      push(ring, 2 * next + 1, QPN);
      found.set(0);
      round.set(next);
      int own = taken(ring, taken);
      reach(polled, next);
      if (own + found.get() < 2) {
        lost++;
        taken(ring, taken);
      }
    }
    other.join();
    assertEquals(0, lost);
  }

  private static void reach(AtomicInteger value, int expected) {
    for (int spins = 0; value.get() != expected; spins++) {
      if (spins < 1000) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  private static int taken(CompletionRing ring, WorkCompletions into) {
    return ring.poll(into.memory(), 0, 1);
  }

  @Test
  void announcesOncePerArming() {
    CompletionRing ring = new CompletionRing(8, listener);
    push(ring, 0, QPN);
    assertEquals(0, announced);
    ring.arm(false);
    assertEquals(0, announced, "what is there already gives no event");
    push(ring, 1, QPN);
    push(ring, 2, QPN);
    assertEquals(1, announced);
    assertFalse(ring.armed());
  }

  @Test
  void armedForSolicitedWaitsForOneOrForAnError() {
    CompletionRing ring = new CompletionRing(8, listener);
    ring.arm(true);
    push(ring, 0, QPN);
    assertEquals(0, announced);
    push(ring, 1, QPN, WcStatus.SUCCESS, true);
    assertEquals(1, announced);
    ring.arm(true);
    push(ring, 2, QPN, WcStatus.WR_FLUSH_ERR, false);
    assertEquals(2, announced);
  }

  @Test
  void armingForAnyOverridesArmingForSolicitedAndNotTheOtherWayRound() {
    CompletionRing ring = new CompletionRing(8, listener);
    ring.arm(true);
    ring.arm(false);
    ring.arm(true);
    push(ring, 0, QPN);
    assertEquals(1, announced);
  }

  @Test
  void anEventThatIsHeldIsToldAtTheEndOfItsPeriodThoughNoneIsHeldAnyMore() {
    CompletionRing ring = new CompletionRing(8, listener);
    ring.moderate(new EventModeration(3, PERIOD_NS));
    ring.arm(false);
    push(ring, 0, QPN);
    ring.moderate(null);
    assertEquals(0, announced);
    ring.announceHeld(QPN);
    assertEquals(1, announced);
  }

  @Test
  void aPeriodBeginsWithTheFirstCompletionThatIsHeldAlone() {
    CompletionRing ring = new CompletionRing(8, listener);
    ring.moderate(new EventModeration(3, PERIOD_NS));
    ring.arm(false);
    push(ring, 0, QPN);
    push(ring, 1, QPN);
    assertEquals(1, periods);
    push(ring, 2, QPN);
    assertEquals(1, announced);
    ring.arm(false);
    push(ring, 3, QPN);
    assertEquals(2, periods);
    assertEquals(1, announced);
  }

  @Test
  void theEndOfAPeriodTellsNothingOfAnEventThatCameInTime() {
    CompletionRing ring = new CompletionRing(8, listener);
    ring.moderate(new EventModeration(2, PERIOD_NS));
    ring.arm(false);
    push(ring, 0, QPN);
    push(ring, 1, QPN);
    assertEquals(1, announced);
    ring.arm(false);
    ring.announceHeld(QPN);
    assertEquals(1, announced);
    push(ring, 2, QPN);
    ring.announceHeld(QPN);
    assertEquals(2, announced);
  }

  @Test
  void aPollTakesAsManyAsFitAndLeavesTheRest() {
    CompletionRing ring = new CompletionRing(4, listener);
    for (int i = 0; i < 3; i++) {
      push(ring, i, QPN);
    }
    try (WorkCompletions polled = new WorkCompletions(2)) {
      MemorySegment view = polled.memory().asSlice(0, 2L * WcLayout.SIZE);
      assertEquals(2, ring.poll(view, 0, 3));
      assertEquals(1, polled.wrId(1));
      assertThrows(IndexOutOfBoundsException.class, () -> ring.poll(view, WcLayout.SIZE + 1, 1));
      assertEquals(1, ring.poll(view, WcLayout.SIZE, 1));
      assertEquals(2, polled.wrId(1));
    }
  }

  /** The result for the same completions as before, or for none. */
  @ParameterizedTest
  @CsvSource({"NONE, 0, 0", "ANY, 1, 1", "SOLICITED, 0, 1"})
  void staysArmedThroughAResize(String armed, int afterAny, int afterSolicited) {
    CompletionRing ring = new CompletionRing(2, listener);
    if (!armed.equals("NONE")) {
      ring.arm(armed.equals("SOLICITED"));
    }
    assertTrue(ring.resize(16));
    assertEquals(!armed.equals("NONE"), ring.armed());
    push(ring, 0, QPN);
    assertEquals(afterAny, announced);
    push(ring, 1, QPN, WcStatus.SUCCESS, true);
    assertEquals(afterSolicited, announced);
  }
}
