package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;

/** What a device counts: each happening by its name, and nothing else. */
@Holds(Rule.COUNTERS)
class CounterDialogueTest extends DialogueFixture {
  private static final long VA = 0x1000;
  private static final int RKEY = 77;

  /** What every packet counts. */
  private static final Set<Counter> TRAFFIC =
      EnumSet.of(
          Counter.SENT_PACKETS,
          Counter.SENT_BYTES,
          Counter.SENT_TRAINS,
          Counter.RECEIVED_PACKETS,
          Counter.RECEIVED_BYTES,
          Counter.RECEIVED_TRAINS);

  private void counted(Map<Counter, Integer> expected) {
    Map<Counter, Integer> counts = new EnumMap<>(Counter.class);
    for (Counter counter : EnumSet.complementOf(EnumSet.copyOf(TRAFFIC))) {
      int count = (int) qp.counter(counter);
      if (count != 0) {
        counts.put(counter, count);
      }
    }
    assertEquals(new EnumMap<>(expected), counts);
  }

  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  // ---- the sending half

  @Test
  @DisplayName("the wrap of the PSN, once, whether a packet or a READ passes it")
  void countsTheWrap() {
    begin(rc().psns(0xfffffe, 0));
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    d.hears(send(0), send(1));
    counted(Map.of(Counter.PSN_WRAP, 1));
    qp.postsSend(3, 10);
    d.hears(send(2));
    counted(Map.of(Counter.PSN_WRAP, 1));
    begin(rc().psns(0xfffffe, 0));
    qp.postsRead(1, 700, VA, RKEY);
    d.hears(here.read(0, VA, RKEY, 700));
    counted(Map.of(Counter.PSN_WRAP, 1));
  }
}
