package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The timeouts of the sockets over which addresses are exchanged. */
class AddressExchangeTest {
  static Stream<Arguments> timeouts() {
    return Stream.of(
        Arguments.of(Duration.ZERO, 1),
        Arguments.of(Duration.ofNanos(999_999), 1),
        Arguments.of(Duration.ofMillis(7).plusNanos(1), 7),
        Arguments.of(Duration.ofMillis(Integer.MAX_VALUE), Integer.MAX_VALUE),
        Arguments.of(Duration.ofMillis(Integer.MAX_VALUE + 1L), Integer.MAX_VALUE),
        Arguments.of(ChronoUnit.FOREVER.getDuration(), Integer.MAX_VALUE));
  }

  /** Sockets take 0 for no timeout. */
  @ParameterizedTest
  @MethodSource("timeouts")
  void noTimeoutOfASocketIsZero(Duration patience, int milliseconds) {
    assertEquals(milliseconds, AddressExchange.milliseconds(patience));
  }
}
