package org.roce4j.tools.explore;

import org.junit.jupiter.api.Test;

/** Tests with a mistake that only a fault shows; run by {@code explore}, not with the others. */
class PlantedCases {
  @Test
  void readsWithoutRetries() {
    PlantedProgram.main(new String[] {"no-retry"});
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
