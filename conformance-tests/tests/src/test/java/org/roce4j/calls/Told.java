package org.roce4j.calls;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Locale;
import java.util.stream.Stream;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** The words that a refusal must contain besides the name of the argument. */
final class Told {
  private Told() {}

  /**
   * A refused number appears in decimal, in the form of a C program, or as bits. Flags appear by
   * name, and a missing feature has no number.
   *
   * @param argument name of the argument
   */
  static void value(String argument, Object refused, VerbsException told) {
    boolean named = argument.toLowerCase(Locale.ROOT).endsWith("flags");
    if (refused instanceof Number number && !named && told.errno() != Errno.EOPNOTSUPP) {
      String remedy = told.remedy();
      long bits = number instanceof Integer value ? value & 0xffff_ffffL : number.longValue();
      assertTrue(
          Stream.of(number.toString(), Long.toUnsignedString(bits), "0x" + Long.toHexString(bits))
              .anyMatch(remedy::contains),
          () -> number + " is not in: " + remedy);
    }
  }
}
