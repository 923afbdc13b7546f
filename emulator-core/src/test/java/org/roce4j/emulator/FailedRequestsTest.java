package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.Gid;

class FailedRequestsTest {
  /** All failures are counted, the first few are reported. */
  @Test
  void theFirstEightAreToldAndTheOthersCounted() {
    FailedRequests failed = new FailedRequests();
    EngineTrace trace = failed.listenTo(DeviceOptions.of("near", Gid.parse("10.0.0.1"))).trace();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      assertEquals(i > 8 ? 9 : i, failed.sentences().size());
      trace.requestRefused(i, "number " + i);
      if (i < 8) {
        expected.add("QP 0x%x on near refused number %d".formatted(i, i));
        assertEquals(expected, failed.sentences());
      } else {
        assertEquals(expected, failed.sentences().subList(0, 8));
        assertEquals("and %d more".formatted(i - 7), failed.sentences().getLast());
      }
    }
  }
}
