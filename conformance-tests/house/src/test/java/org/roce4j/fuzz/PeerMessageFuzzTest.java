package org.roce4j.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Optional;
import org.roce4j.connect.ExchangedAddress;
import org.roce4j.tools.perf.exchange.QueuePairKey;

/**
 * The readers of the C programs' TCP messages about a queue pair: those of pingpong and perftest.
 */
class PeerMessageFuzzTest {
  @FuzzTest(maxDuration = "1m")
  void whatIsUnderstoodHasItsLengthAndIsSaidAgainAsItWas(byte[] bytes) {
    if (bytes == null) {
      return;
    }
    Optional<ExchangedAddress> address = ExchangedAddress.decode(bytes);
    address.ifPresent(
        understood -> {
          assertEquals(ExchangedAddress.LENGTH, bytes.length);
          assertEquals(address, ExchangedAddress.decode(understood.encode()));
        });
    Optional<QueuePairKey> key = QueuePairKey.decode(bytes);
    key.ifPresent(
        understood -> {
          assertEquals(QueuePairKey.LENGTH, bytes.length);
          assertEquals(key, QueuePairKey.decode(understood.encode()));
        });
  }
}
