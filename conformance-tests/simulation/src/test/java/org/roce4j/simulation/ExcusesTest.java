package org.roce4j.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which events excuse a retry, and for how long. */
class ExcusesTest {
  private final Mishaps own = new Mishaps();
  private final Mishaps path = new Mishaps();
  private final Excuses excuses = new Excuses("requester", own, path);

  private static boolean excused(Consumer<String> retry) {
    try {
      retry.accept("retries");
      return true;
    } catch (RuleBroken broken) {
      assertEquals(OracleRule.RETRY_FOR_CAUSE, broken.rule());
      return false;
    }
  }

  private boolean timeout() {
    return excused(excuses::requireForTimeout);
  }

  private boolean hint() {
    return excused(excuses::requireForHint);
  }

  private static Arguments row(
      String what, Consumer<ExcusesTest> happens, String timeouts, String hints) {
    return Arguments.of(what, happens, timeouts, hints);
  }

  /** Which of two consecutive retries are excused: {@code +} if excused, {@code -} if not. */
  static Stream<Arguments> happenings() {
    return Stream.of(
        row("nothing", test -> {}, "--", "--"),
        row("its packet was lost", test -> test.own.happened(), "+-", "++"),
        row("a packet of its path was lost", test -> test.path.happened(), "+-", "--"),
        row("its packet is under way", test -> test.own.departed(1), "++", "--"),
        row("its packet has arrived", ExcusesTest::arrives, "--", "--"),
        row("another packet is under way", test -> test.path.departed(1), "++", "--"),
        row("the path is out", test -> test.path.outageBegins(), "++", "++"),
        row("the path was out", ExcusesTest::wasOut, "+-", "++"),
        row("the peer is gone", test -> test.excuses.peerGone(), "++", "++"));
  }

  private void arrives() {
    own.departed(1);
    own.arrived(2);
  }

  private void wasOut() {
    path.outageBegins();
    path.outageEnds();
  }

  private String two(BooleanSupplier retry) {
    return (retry.getAsBoolean() ? "+" : "-") + (retry.getAsBoolean() ? "+" : "-");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("happenings")
  void aTimeoutIsExcused(
      String what, Consumer<ExcusesTest> happens, String timeouts, String hints) {
    happens.accept(this);
    assertEquals(timeouts, two(this::timeout));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("happenings")
  void aHintIsExcused(String what, Consumer<ExcusesTest> happens, String timeouts, String hints) {
    happens.accept(this);
    assertEquals(hints, two(this::hint));
  }

  /** A loss excuses no retry once nothing was under way between two retries. */
  @ParameterizedTest
  @MethodSource("losses")
  void aLossIsForgottenWhenNothingWasUnderWay(String what, Consumer<ExcusesTest> loss) {
    own.departed(1);
    loss.accept(this);
    assertTrue(hint());
    own.arrived(2);
    own.departed(2);
    assertTrue(hint(), "no pause");
    own.arrived(3);
    own.departed(4);
    assertFalse(hint());
  }

  static Stream<Arguments> losses() {
    return Stream.of(
        Arguments.of("a packet", (Consumer<ExcusesTest>) test -> test.own.happened()),
        Arguments.of("an outage", (Consumer<ExcusesTest>) ExcusesTest::wasOut));
  }

  /** A packet of the former life may be lost and excuses; its departure is not counted again. */
  @Test
  void whatIsUnderWayFromBeforeExcuses() {
    Mishaps before = new Mishaps();
    before.departed(1);
    Excuses successor = new Excuses("successor", before, new Mishaps());
    assertTrue(excused(successor::requireForHint));
  }
}
