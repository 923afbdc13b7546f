package org.roce4j.fabric;

import java.util.Map;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** How numbers with units are written in options: {@code 20us}, {@code 10G}, {@code 4MiB}. */
final class OptionText {
  private static final Map<String, Long> UNITS =
      Map.ofEntries(
          Map.entry("", 1L),
          Map.entry("ns", 1L),
          Map.entry("us", 1_000L),
          Map.entry("ms", 1_000_000L),
          Map.entry("s", 1_000_000_000L),
          Map.entry("k", 1_000L),
          Map.entry("M", 1_000_000L),
          Map.entry("G", 1_000_000_000L),
          Map.entry("KiB", 1L << 10),
          Map.entry("MiB", 1L << 20),
          Map.entry("GiB", 1L << 30));
  private static final String[] TIMES = {"s", "ms", "us"};

  private OptionText() {}

  /** Nanoseconds with the largest unit that shows them whole. */
  static String time(long ns) {
    for (String unit : TIMES) {
      long size = UNITS.get(unit);
      if (ns != 0 && ns % size == 0) {
        return ns / size + unit;
      }
    }
    return ns + "ns";
  }

  static long number(String key, String text) {
    int digits = 0;
    while (digits < text.length() && "-0123456789".indexOf(text.charAt(digits)) >= 0) {
      digits++;
    }
    Long unit = UNITS.get(text.substring(digits));
    if (unit == null) {
      throw unreadable(key, text, "a whole number, with ns, us, ms, s, k, M, G, KiB, MiB or GiB");
    }
    try {
      return Math.multiplyExact(Long.parseLong(text.substring(0, digits)), unit);
    } catch (ArithmeticException | NumberFormatException e) {
      throw unreadable(key, text, "a whole number of at most 63 bits");
    }
  }

  static int integer(String key, String text) {
    long number = number(key, text);
    if (number != (int) number) {
      throw unreadable(key, text, "a whole number of at most 31 bits");
    }
    return (int) number;
  }

  static double probability(String key, String text) {
    try {
      return text.endsWith("%")
          ? Double.parseDouble(text.substring(0, text.length() - 1)) / 100
          : Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw unreadable(key, text, "a probability such as 0.1 or 10%");
    }
  }

  static boolean onOrOff(String key, String text) {
    return switch (text) {
      case "on" -> true;
      case "off" -> false;
      default -> throw unreadable(key, text, "on or off");
    };
  }

  private static VerbsException unreadable(String key, String text, String wanted) {
    return new VerbsException(
        Errno.EINVAL, key + "=" + text + " is not understood: give " + wanted);
  }
}
