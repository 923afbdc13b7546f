package org.roce4j.engine.responder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.memory.Domain;
import org.roce4j.engine.memory.KeyTable;
import org.roce4j.engine.path.Peer;
import org.roce4j.engine.trace.EngineTrace;

/** Which answers are kept and which are to be sent, against a list as the model. */
class AnswerRingTest {
  private static final long FAR = 1 << 20;

  private final AnswerRing ring = new AnswerRing(side(new Counters()));
  private final List<Answer> kept = new ArrayList<>();
  private int size = 1;

  /** The PSN of the next request. */
  private int next;

  /** The receiving half of a queue pair without queues. */
  static ReceiveSide side(Counters counters) {
    return new ReceiveSide(
        7,
        null,
        null,
        new KeyTable(null, 1, 1),
        new Accessor(new Domain()),
        new Peer(() -> {}),
        counters,
        EngineTrace.NONE,
        null,
        null);
  }

  /** A step is a request, a sent answer, a duplicate or a resize, by its number. */
  @Property(tries = 300)
  void keepsTheNewestAndSendsWhatIsDueInOrder(
      @ForAll @Size(max = 60) List<@IntRange(max = 99) Integer> steps) {
    ring.resize(size);
    ring.clear();
    kept.clear();
    next = 0;
    for (int step : steps) {
      if (step < 40) {
        request(1 + step % 3);
      } else if (step < 70) {
        answer();
      } else if (step < 85) {
        replay(step);
      } else {
        resize(1 + step % 5);
      }
      check();
    }
  }

  /** Its place is not free, and its memory must be readable. */
  @Test
  void aDuplicateOfAnAnswerThatWasNotSentLeavesItNew() {
    ring.resize(1);
    Answer first = ring.claim();
    first.begin(Answer.Kind.READ, 0, 2, 0, 8);
    ring.begun();
    ring.replay(first, 0, 2, 8);
    assertFalse(first.answered());
    assertNull(ring.claim());
  }

  private void request(int packets) {
    Answer claimed = ring.claim();
    if (kept.size() == size && !kept.getFirst().answered()) {
      assertNull(claimed, "the oldest is not answered yet");
      return;
    }
    if (kept.size() == size) {
      assertSame(kept.removeFirst(), claimed);
      assertFalse(claimed.pending());
    }
    claimed.begin(Answer.Kind.READ, next, packets, 0, 8);
    ring.begun();
    next += packets;
    kept.add(claimed);
  }

  private void answer() {
    Answer first = ring.firstPending();
    if (first != null) {
      ring.sent(first);
    }
  }

  private void replay(int step) {
    List<Answer> sent = kept.stream().filter(each -> each.answered()).toList();
    if (!sent.isEmpty()) {
      Answer again = sent.get(step % sent.size());
      ring.replay(again, 0, 1, 8);
    }
  }

  private void resize(int answers) {
    ring.resize(answers);
    size = answers;
    while (kept.size() > size) {
      kept.removeFirst();
    }
  }

  private void check() {
    List<Answer> due = kept.stream().filter(each -> each.pending()).toList();
    assertEquals(!due.isEmpty(), ring.anyPending());
    assertSame(due.isEmpty() ? null : due.getFirst(), due.isEmpty() ? null : ring.firstPending());
    for (long psn = 0; psn <= next; psn++) {
      Answer covering = null;
      long after = FAR;
      for (Answer each : kept.reversed()) {
        covering = psn >= each.firstPsn && psn < each.firstPsn + each.packets ? each : covering;
        after = each.firstPsn > psn ? each.firstPsn : after;
      }
      assertSame(covering, ring.find(psn));
      assertEquals(after, ring.firstAfter(psn, FAR));
    }
  }
}
