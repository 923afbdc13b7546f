package org.roce4j.engine.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class CountersTest {
  @Test
  void aSnapshotHasEveryCounterByItsLabelInOrder() {
    Counters counters = new Counters();
    counters.increment(Counter.ACK_TIMEOUT);
    counters.add(Counter.RECEIVED_ACKS, 5);
    var snapshot = counters.snapshot();
    assertEquals(
        Arrays.stream(Counter.values()).map(Counter::label).toList(),
        new ArrayList<>(snapshot.keySet()));
    assertEquals(1, snapshot.remove(Counter.ACK_TIMEOUT.label()));
    assertEquals(5, snapshot.remove(Counter.RECEIVED_ACKS.label()));
    assertEquals(0, Collections.max(snapshot.values()));
  }
}
