package org.roce4j.tools.side;

import java.util.Optional;
import java.util.StringJoiner;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.PortSelection;
import org.roce4j.port.PortProvider;

/**
 * The port that the emulator takes.
 *
 * @param name of its provider
 * @param reason why this one, or null if it was requested
 */
public record ChosenPort(String name, String reason) {
  /** The port that is chosen for a name or for {@code auto}. */
  public static ChosenPort of(String wanted) {
    if (!wanted.equals(DeviceOptions.AUTO)) {
      return new ChosenPort(wanted, null);
    }
    StringJoiner reasons = new StringJoiner("; ", "chosen because ", "");
    reasons.setEmptyValue("chosen automatically");
    for (PortProvider port : PortSelection.providers()) {
      Optional<String> unavailable = port.unavailable();
      if (unavailable.isEmpty()) {
        return new ChosenPort(port.name(), reasons.toString());
      }
      reasons.add(port.name() + " does not work here: " + unavailable.get());
    }
    return new ChosenPort(wanted, null);
  }
}
