package org.roce4j.hardware;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The counters that a driver keeps in sysfs. */
final class SysfsCounters {
  private SysfsCounters() {}

  /**
   * Reads {@code hw_counters} of the device and of its ports, each in alphabetical order.
   *
   * @param device the device's directory
   * @param ports how many ports it has; with more than one, names begin with {@code portN/}
   */
  static Map<String, Long> read(Path device, int ports) {
    Map<String, Long> counters = new LinkedHashMap<>();
    read(device.resolve("hw_counters"), "", counters);
    for (int port = 1; port <= ports; port++) {
      read(
          device.resolve("ports").resolve(Integer.toString(port)).resolve("hw_counters"),
          ports > 1 ? "port" + port + "/" : "",
          counters);
    }
    return counters;
  }

  private static void read(Path directory, String prefix, Map<String, Long> counters) {
    for (Path file : sorted(directory)) {
      String name = file.getFileName().toString();
      try {
        // The lifespan is how long the kernel keeps a reading, not a reading.
        if (!name.equals("lifespan")) {
          counters.put(prefix + name, Long.parseUnsignedLong(Files.readString(file).strip()));
        }
      } catch (IOException | NumberFormatException e) {
        // A driver may list a counter that it cannot read: it has no value.
      }
    }
  }

  private static List<Path> sorted(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of();
    }
  }
}
