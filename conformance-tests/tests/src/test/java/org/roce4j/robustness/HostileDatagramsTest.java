package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random and mutated datagrams, 100,000 of each over all rows. The system property {@code
 * roce4j.hostile} sets the number of each for every row, for the long run.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 1800, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileDatagramsTest {
  private static final long OF_EACH = Long.getLong("roce4j.hostile", 25_000);
  private static final long SEED = Long.getLong("roce4j.hostile.seed", 4791);

  @ParameterizedTest
  @CsvSource({"linux,false", "linux,true", "netty,false", "netty,true"})
  void harmNothing(String transport, boolean ipv6) throws Exception {
    HostileDatagrams.Outcome outcome =
        new HostileDatagrams(transport, ipv6, SEED).run(OF_EACH, OF_EACH);
    System.out.println(outcome);
    assertEquals(List.of(), outcome.complaints(), outcome::toString);
    assertEquals(2 * OF_EACH, outcome.sent());
  }
}
