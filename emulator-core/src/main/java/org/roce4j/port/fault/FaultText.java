package org.roce4j.port.fault;

import java.util.Map;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Opcode;

/** How numbers are written in fault plans: {@code 20us}, {@code 0x11}, {@code 1%}. */
final class FaultText {
  private static final Map<String, Long> TIMES =
      Map.of("ns", 1L, "us", 1_000L, "ms", 1_000_000L, "s", 1_000_000_000L);
  private static final String[] LARGEST_FIRST = {"s", "ms", "us"};

  private FaultText() {}

  static VerbsException refuse(String remedy) {
    return new VerbsException(Errno.EINVAL, remedy);
  }

  static void requireRange(String key, long value, long least, long most) {
    if (value < least || value > most) {
      throw refuse(key + "=" + value + " is outside " + Math.max(least, 0) + ".." + most);
    }
  }

  /** Nanoseconds with the largest unit that shows them whole. */
  static String time(long ns) {
    for (String unit : LARGEST_FIRST) {
      if (ns % TIMES.get(unit) == 0) {
        return ns / TIMES.get(unit) + unit;
      }
    }
    return ns + "ns";
  }

  /** A whole number, decimal or hexadecimal, or a time with its unit. */
  static long number(String key, String text) {
    int unitAt = text.length();
    if (!text.startsWith("0x")) {
      while (unitAt > 0 && Character.isLetter(text.charAt(unitAt - 1))) {
        unitAt--;
      }
    }
    Long unit = unitAt == text.length() ? Long.valueOf(1) : TIMES.get(text.substring(unitAt));
    if (unit == null) {
      throw refuse(key + "=" + text + ": give a number, or a time in ns, us, ms or s");
    }
    try {
      return text.startsWith("0x")
          ? Long.parseLong(text.substring(2), 16)
          : Math.multiplyExact(Long.parseLong(text.substring(0, unitAt)), unit);
    } catch (ArithmeticException | NumberFormatException e) {
      throw refuse(key + "=" + text + ": give a whole number");
    }
  }

  static int small(String key, String text) {
    long number = number(key, text);
    requireRange(key, number, 0, Integer.MAX_VALUE);
    return (int) number;
  }

  static double probability(String key, String text) {
    try {
      return text.endsWith("%")
          ? Double.parseDouble(text.substring(0, text.length() - 1)) / 100
          : Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw refuse(key + "=" + text + ": give a probability such as 0.1 or 10%");
    }
  }

  /** An opcode by its name in {@link Opcode} or by its number. */
  static int opcode(String key, String text) {
    for (Opcode known : Opcode.values()) {
      if (known.name().equalsIgnoreCase(text)) {
        return known.code();
      }
    }
    return small(key, text);
  }
}
