package org.roce4j.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

class QuantityTest {
  @Property
  void whatIsPrintedIsReadBack(@ForAll Quantity quantity, @ForAll("numbers") long number) {
    assertEquals(number, quantity.read(quantity.print(number)));
  }

  /** Includes numbers of few digits and many zeros, which are printed with a unit. */
  @Provide
  Arbitrary<Long> numbers() {
    return Arbitraries.oneOf(
        Arbitraries.longs(),
        Arbitraries.integers().between(-999, 999).map(n -> n * 1_000_000_000L),
        Arbitraries.integers().between(-999, 999).map(n -> (long) n << 30));
  }

  @Property
  void aProbabilityIsReadBack(@ForAll @DoubleRange(min = 0, max = 1) double probability) {
    assertEquals(probability, Quantity.probability(Double.toString(probability)));
  }

  @ParameterizedTest
  @CsvSource({
    "COUNT, 17, 17",
    "COUNT, 0x11, 17",
    "TIME, 0, 0",
    "TIME, 0x0, 0",
    "TIME, 20us, 20000",
    "TIME, 10s, 10000000000",
    "SIZE, 64KiB, 65536",
    "SIZE, 2k, 2048",
    "SIZE, 64K, 65536",
    "SIZE, 1M, 1048576",
    "RATE, 25G, 25000000000",
  })
  void aUnitIsThatOfTheQuantity(Quantity quantity, String text, long number) {
    assertEquals(number, quantity.read(text));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0ns",
    "1, 1ns",
    "20000, 20us",
    "1500000, 1500us",
    "10000000000, 10s",
  })
  void aTimeIsPrintedWithTheLargestUnitThatShowsItWhole(long ns, String text) {
    assertEquals(text, Quantity.TIME.print(ns));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "COUNT | 5ms | give a whole number from 1 to 9",
        "COUNT | 10 | give a whole number from 1 to 9",
        "COUNT | 0x | give a whole number from 1 to 9",
        "TIME | 5 | give a time in ns, us, ms or s from 1ns to 9ns",
        "TIME | 0x5 | give a time in ns, us, ms or s from 1ns to 9ns",
        "TIME | 5KiB | give a time in ns, us, ms or s from 1ns to 9ns",
        "TIME | 9223372036854775807s | give a time in ns, us, ms or s from 1ns to 9ns",
        "COUNT | +5 | give a whole number from 1 to 9",
        "COUNT | 0x+5 | give a whole number from 1 to 9",
        "COUNT | \u0665 | give a whole number from 1 to 9",
        "RATE | G | give bits per second, plain or in k, M or G from 1 to 9",
      })
  void whatIsNoSuchNumberIsRefusedSayingWhatToGive(Quantity quantity, String text, String remedy) {
    VerbsException refused = refused(Errno.EINVAL, () -> quantity.read(text, 1, 9));
    assertEquals(remedy, refused.remedy());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "COUNT | 0 | 1 | give a whole number, at least 1",
        "TIME | 5us | 6000 | give a time in ns, us, ms or s, at least 6us",
      })
  void whatIsTooSmallIsRefusedSayingTheLeast(
      Quantity quantity, String text, long least, String remedy) {
    VerbsException refused =
        refused(Errno.EINVAL, () -> quantity.read(text, least, Long.MAX_VALUE));
    assertEquals(remedy, refused.remedy());
  }

  @Test
  void aNumberOutOfItsRangeIsRefusedByItsName() {
    Quantity.requireRange("size", 1, 1, 9);
    Quantity.requireRange("size", 9, 1, 9);
    for (long wrong : new long[] {0, 10}) {
      VerbsException e = refused(Errno.EINVAL, () -> Quantity.requireRange("size", wrong, 1, 9));
      assertEquals("size=" + wrong + ": give 1 to 9", e.remedy());
    }
    Quantity.requireProbability("loss", 0);
    Quantity.requireProbability("loss", 1);
    for (double wrong : new double[] {-0.1, 1.1, Double.NaN}) {
      VerbsException e = refused(Errno.EINVAL, () -> Quantity.requireProbability("loss", wrong));
      assertEquals("loss=" + wrong + ": give a probability: 0 to 1", e.remedy());
    }
  }

  /** The first of units of one size. */
  @ParameterizedTest
  @CsvSource({
    "SIZE, 1023, 1023",
    "SIZE, 65536, 64KiB",
    "SIZE, 3145728, 3MiB",
    "SIZE, 1073741824, 1GiB",
    "RATE, 25000000000, 25G",
    "RATE, 1500, 1500",
    "COUNT, 1000, 1000",
    "TIME, 0, 0ns",
  })
  void aNumberIsPrintedInTheLargestUnitThatDividesIt(Quantity quantity, long number, String text) {
    assertEquals(text, quantity.print(number));
  }

  /** Modulo 2^64 each would be a valid number. */
  @ParameterizedTest
  @CsvSource({"TIME, 18446744074s", "SIZE, 17179869185GiB", "RATE, -18446744073G"})
  void whatIsTooLargeWithItsUnitIsRefused(Quantity quantity, String text) {
    assertThrows(VerbsException.class, () -> quantity.read(text));
  }

  @ParameterizedTest
  @CsvSource({"10%, 0.1", "0.1, 0.1", "1, 1", "0%, 0"})
  void aProbabilityMayBeWrittenInPerCent(String text, double probability) {
    assertEquals(probability, Quantity.probability(text));
  }

  @ParameterizedTest
  @CsvSource({
    "101%", "1.5", "-0.1", "NaN", "often", "%", "''", "0.5f", "1d", "0x1p-3", "+0.5", "' 0.5'",
    "9e-0"
  })
  void whatIsNoProbabilityIsRefused(String text) {
    assertThrows(VerbsException.class, () -> Quantity.probability(text));
  }

  @Test
  void aWordOfAFileIsRefusedWithItsPlace() {
    VerbsException e = Quantity.refuse("give something else");
    assertSame(e, new Word("drop", null).refused(e));
    assertEquals(
        "plan.yaml:4:7: give something else",
        new Word("drop", null, "plan.yaml:4:7").refused(e).remedy());
  }

  @Test
  void aWordIsOnOrOff() {
    assertTrue(new Word("icrc", "on").read(Word::isOn));
    assertFalse(new Word("icrc", "off").read(Word::isOn));
    VerbsException e = refused(Errno.EINVAL, () -> new Word("icrc", "maybe").read(Word::isOn));
    assertEquals("icrc=maybe: give on or off", e.remedy());
    refused(Errno.EINVAL, () -> new Word("icrc", null).read(Word::isOn));
  }

  @Test
  void aLineIsWordsBetweenWhiteSpace() {
    assertEquals(List.of(), Word.line("  "));
    assertEquals(List.of(new Word("", "x"), new Word("k", "v=w")), Word.line("=x\tk=v=w"));
    assertEquals("a b=c", RuleText.line(Word.line(" a  b=c ")));
    assertEquals(List.of(Word.line("a"), Word.line("b=c d")), RuleText.read(" a ;; b=c d\n \n;"));
  }

  @Test
  void aWordIsNamedWhenItsValueIsRefused() {
    List<Word> words = Word.line(" drop  times=x ");
    assertEquals(List.of(new Word("drop", null), new Word("times", "x")), words);
    VerbsException refused =
        assertThrows(VerbsException.class, () -> words.get(1).read(Quantity.COUNT::read));
    assertEquals("times=x: give a whole number", refused.remedy());
  }
}
