package org.roce4j.tools.explore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Tests with a mistake that only a fault shows; {@code explore} runs them, not the build. */
class PlantedCases {
  /** Leaves a page when it fails, as {@code @EmulatedRdma} does. */
  @Test
  void readsWithoutRetries() throws IOException {
    try {
      PlantedProgram.main(new String[] {"no-retry"});
    } catch (RuntimeException e) {
      Path directory = Path.of(System.getProperty("roce4j.junit.directory"), "Case.reads");
      Files.createDirectories(directory);
      Files.writeString(directory.resolve("packets.html"), "drawn");
      throw e;
    }
  }

  @Test
  void reads() {
    PlantedProgram.main(new String[] {"sound"});
  }

  @Test
  void sendsOnSockets() {
    PlantedProgram.main(new String[] {"sockets"});
  }

  @Test
  void endsTheJvm() {
    try {
      PlantedProgram.main(new String[] {"no-retry"});
    } catch (RuntimeException e) {
      Runtime.getRuntime().halt(7);
    }
  }

  @Test
  void waitsForEver() {
    PlantedProgram.main(new String[] {"patient"});
  }
}
