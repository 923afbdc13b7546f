package org.roce4j.tools.perf.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.tools.perf.PerfCommand;
import org.roce4j.tools.perf.exchange.PerftestExchange.Agreement;

class BufferLayoutTest {
  private static final int CYCLE = 4096;
  private static final int LINE = 64;

  private static BufferLayout layout(String line) {
    PerfPlan plan = PerfCommand.parse(List.of((line + " -m 4096 --server").split(" "))).plan();
    return BufferLayout.of(plan, new Agreement(CYCLE, LINE, plan.mtu()));
  }

  /**
   * A run that verifies reads a place before the next message may land in it; one place more than
   * receives, because a message begins to land before it finds that there is none.
   */
  @ParameterizedTest
  @CsvSource({
    "send_bw -s 100 -t 16 -r 32 --verify, 16, 33",
    "write_bw -s 100 -t 16 -r 32 --verify, 16, 33",
    "read_bw -s 100 -t 16 --verify, 16, 16",
    "send_bw -s 100, 32, 32",
    "send_bw -s 100 -q 16, 32, 32",
    "send_bw -s 100 -q 17, 1, 1",
    "send_bw -s 2048, 2, 2",
    "send_bw -s 2049, 1, 1",
    "send_lat -s 100, 1, 1"
  })
  void everyMessageUnderWayHasItsPlace(String line, int sends, int receives) {
    BufferLayout layout = layout(line);
    assertEquals(sends, layout.sendSlots());
    assertEquals(receives, layout.receiveSlots());
  }

  @ParameterizedTest
  @CsvSource({"1, 64", "64, 64", "65, 128", "5000, 5056"})
  void messagesBeginAtCacheLines(int size, long distance) {
    assertEquals(distance, layout("write_bw -s " + size).distance());
  }
}
