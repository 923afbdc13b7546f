package org.roce4j.benchmarks.limit;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Ratios of interleaved pairs, device to twin.
 *
 * @param median of all pairs
 * @param least of all pairs
 * @param most of all pairs
 * @param low lower end of the bootstrap's 95 % interval of the median
 * @param high upper end of it
 */
public record Ratios(double median, double least, double most, double low, double high) {
  private static final int RESAMPLES = 10_000;
  private static final long SEED = 4791;

  /** Summarises the ratios of all pairs. */
  public static Ratios of(double[] ratios) {
    double[] sorted = ratios.clone();
    Arrays.sort(sorted);
    double[] medians = new double[RESAMPLES];
    double[] sample = new double[sorted.length];
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < RESAMPLES; i++) {
      for (int k = 0; k < sample.length; k++) {
        sample[k] = sorted[random.nextInt(sorted.length)];
      }
      Arrays.sort(sample);
      medians[i] = medianOf(sample);
    }
    Arrays.sort(medians);
    return new Ratios(
        medianOf(sorted),
        sorted[0],
        sorted[sorted.length - 1],
        medians[(int) (RESAMPLES * 0.025)],
        medians[(int) (RESAMPLES * 0.975)]);
  }

  /** The median of some figures. */
  public static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return medianOf(sorted);
  }

  private static double medianOf(double[] sorted) {
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
}
