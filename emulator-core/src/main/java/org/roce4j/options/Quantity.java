package org.roce4j.options;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** The quantity that a number in an option measures, and its units: {@code 20us}, {@code 4MiB}. */
public enum Quantity {
  /** A count; decimal, or hexadecimal after {@code 0x}. */
  COUNT("a whole number", ""),
  /** Nanoseconds; only 0 needs no unit. */
  TIME("a time in ns, us, ms or s", "ns", "us", "ms", "s"),
  /** Bytes; {@code 64k} and {@code 64K} are 64 KiB, as perftest reads them. */
  SIZE("bytes, plain or in KiB, MiB or GiB", "", "KiB", "MiB", "GiB", "k", "K", "M", "G") {
    @Override
    public long size(String unit) {
      return unit.isEmpty()
          ? 1
          : 1L
              << switch (Character.toUpperCase(unit.charAt(0))) {
                case 'K' -> 10;
                case 'M' -> 20;
                default -> 30;
              };
    }
  },
  /** Bits per second. */
  RATE("bits per second, plain or in k, M or G", "", "k", "M", "G");

  /** What {@link #probability} reads, as a regular expression that JSON Schema knows too. */
  public static final String PROBABILITY =
      "0*\\.[0-9]+|0+\\.?|0*1(\\.0*)?|[0-9](\\.[0-9]+)?[eE]-0*[1-9][0-9]*"
          + "|(0*[0-9]{0,2}\\.[0-9]+|0*[0-9]{1,2}\\.?|0*100(\\.0*)?|[0-9](\\.[0-9]+)?[eE]-[0-9]+)%";

  private static final Pattern NUMBER = Pattern.compile("-?[0-9]+[A-Za-z]*|0x[0-9a-fA-F]+");

  private final String meaning;
  private final String[] units;

  /** The empty text as a unit allows numbers without a unit, which then count the smallest one. */
  Quantity(String meaning, String... units) {
    this.meaning = meaning;
    this.units = units;
  }

  /**
   * Reads a number as {@link #print} prints it. A number without a unit is in the smallest unit; a
   * time has one, unless it is 0.
   *
   * @throws VerbsException EINVAL with the form to give, for any other text
   */
  public long read(String text) {
    return read(text, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /**
   * Reads a number within a range.
   *
   * @throws VerbsException EINVAL with the form to give, for any other text
   */
  public long read(String text, long least, long most) {
    try {
      long number = number(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (ArithmeticException | NumberFormatException e) {
      // The exception below says what to give.
    }
    if (least == Long.MIN_VALUE) {
      throw refuse("give %s", meaning);
    }
    throw most == Long.MAX_VALUE
        ? refuse("give %s, at least %s", meaning, print(least))
        : refuse("give %s from %s to %s", meaning, print(least), print(most));
  }

  private long number(String text) {
    if (!NUMBER.matcher(text).matches()) {
      throw new NumberFormatException(text);
    }
    if (text.startsWith("0x")) {
      return plain(Long.parseLong(text.substring(2), 16));
    }
    int end = text.length();
    while (Character.isLetter(text.charAt(end - 1))) {
      end--;
    }
    String unit = text.substring(end);
    if (unit.isEmpty()) {
      return plain(Long.parseLong(text));
    }
    if (!Arrays.asList(units).contains(unit)) {
      throw new NumberFormatException(unit);
    }
    return Math.multiplyExact(Long.parseLong(text.substring(0, end)), size(unit));
  }

  /** A number without a unit. */
  private long plain(long number) {
    if (number != 0 && !isPlain()) {
      throw new NumberFormatException("without a unit");
    }
    return number;
  }

  /** Whether a number other than 0 may have no unit. */
  public boolean isPlain() {
    return units[0].isEmpty();
  }

  /** Prints a value in the largest unit that divides it. */
  public String print(long value) {
    String best = units[0];
    for (String unit : units) {
      if (value != 0 && value % size(unit) == 0 && size(unit) > size(best)) {
        best = unit;
      }
    }
    return value / size(best) + best;
  }

  /** The units, the smallest first; the empty text is a number without a unit. */
  public List<String> units() {
    return List.of(units);
  }

  /** One of the units in the smallest. */
  public long size(String unit) {
    return switch (unit) {
      case "us", "k" -> 1_000;
      case "ms", "M" -> 1_000_000;
      case "s", "G" -> 1_000_000_000;
      default -> 1;
    };
  }

  /**
   * Reads a probability such as {@code 0.1} or {@code 10%}.
   *
   * @throws VerbsException EINVAL for any other text
   */
  public static double probability(String text) {
    if (!text.matches(PROBABILITY)) {
      throw refuse("give a probability: 0 to 1, or 0%% to 100%%");
    }
    return text.endsWith("%")
        ? Double.parseDouble(text.substring(0, text.length() - 1)) / 100
        : Double.parseDouble(text);
  }

  /**
   * @throws VerbsException EINVAL unless 0 &lt;= value &lt;= 1
   */
  public static void requireProbability(String key, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw refuse("%s=%s: give a probability: 0 to 1", key, value);
    }
  }

  /**
   * @throws VerbsException EINVAL unless least &lt;= value &lt;= most
   */
  public static void requireRange(String key, long value, long least, long most) {
    if (value < least || value > most) {
      throw refuse("%s=%d: give %d to %d", key, value, least, most);
    }
  }

  /** An exception with EINVAL and the remedy. */
  public static VerbsException refuse(String remedy, Object... words) {
    return Errno.EINVAL.refusal(remedy, words);
  }
}
