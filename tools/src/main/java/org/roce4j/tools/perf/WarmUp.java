package org.roce4j.tools.perf;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The warm-up before both sides measure.
 *
 * @param mostNs longest time, nanoseconds; 0 for none
 * @param untilWarm whether it ends as soon as both processes have compiled their hot code
 */
public record WarmUp(long mostNs, boolean untilWarm) {
  static final WarmUp NONE = new WarmUp(0, false);

  static final WarmUp AUTO = new WarmUp(12_000_000_000L, true);

  private static final String AUTO_WORD = "auto";
  private static final double MOST_SECONDS = 600;

  /** Its text on the command line. */
  @Override
  public String toString() {
    return untilWarm ? AUTO_WORD : Double.toString(mostNs / 1e9);
  }

  /** Reads {@code auto} or seconds. */
  static final class Converter implements ITypeConverter<WarmUp> {
    @Override
    public WarmUp convert(String text) {
      if (text.toLowerCase(Locale.ROOT).equals(AUTO_WORD)) {
        return AUTO;
      }
      try {
        double seconds = Double.parseDouble(text);
        if (seconds >= 0 && seconds <= MOST_SECONDS) {
          return new WarmUp(Math.round(seconds * 1e9), false);
        }
      } catch (NumberFormatException e) {
        // Reported below.
      }
      throw new TypeConversionException("must be auto, or 0 to 600 seconds, not '" + text + "'");
    }
  }
}
