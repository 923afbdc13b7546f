package org.roce4j.conformance.backend;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Where Linux's soft-RoCE does otherwise than the specification. */
public final class SoftRoceDeviations {
  /** How a {@link HardwareBackend} calls soft-RoCE in its description. */
  public static final String NAME = "soft-RoCE";

  private SoftRoceDeviations() {}

  /** Rows that soft-RoCE keeps otherwise when both ends are its own. */
  public static List<Deviation> rows() {
    return read("soft-roce.txt");
  }

  /** The deviations of rows in which another device is the far end. */
  static List<Deviation> rowsOfTheNearEnd() {
    return read("soft-roce-near.txt");
  }

  /** The deviations of rows in which another device is the near end. */
  static List<Deviation> rowsOfTheFarEnd() {
    return read("soft-roce-far.txt");
  }

  /** The deviations of dialogues with a device at an address. */
  public static List<Deviation> dialogues() {
    return read("soft-roce-dialogues.txt");
  }

  private static List<Deviation> read(String name) {
    try (InputStream resource = SoftRoceDeviations.class.getResourceAsStream(name)) {
      return Deviation.list(new String(resource.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(name + " cannot be read", e);
    }
  }
}
