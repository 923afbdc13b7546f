package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class Roce4jTest extends CommandFixture {
  @Test
  void helpTeachesOnStandardOutput() {
    assertEquals(0, run("--help"));
    assertTrue(out.toString().contains("Examples:"), out.toString());
    assertTrue(out.toString().contains("devices"), out.toString());
    assertEquals("", err.toString());
  }

  @Test
  void versionNamesTheJavaItRunsOn() {
    assertEquals(0, run("--version"));
    assertTrue(out.toString().startsWith("roce4j "), out.toString());
    assertTrue(out.toString().contains("Java 25"), out.toString());
  }

  @Test
  void noCommandIsAWrongCommandLine() {
    assertEquals(2, run());
    assertEquals("roce4j: which command? (roce4j --help explains)", err.toString().strip());
  }

  @Test
  void anUnknownCommandIsOneLine() {
    assertEquals(2, run("pinpong"));
    assertEquals(
        "roce4j: there is no command 'pinpong'; did you mean pingpong? (roce4j --help explains)",
        err.toString().strip());
    assertEquals("", out.toString());
  }

  @Test
  void anUnknownOptionIsNamedWithTheNearestOne() {
    assertEquals(2, run("pingpong", "--itres", "5"));
    assertEquals(
        "roce4j pingpong: there is no option '--itres'; did you mean --iters?"
            + " (roce4j pingpong --help explains)",
        err.toString().strip());
  }

  @Test
  void colourIsLeftOutWhereNobodyWatches() {
    run("--help");
    run("--nonsense");
    assertTrue((out.toString() + err).chars().noneMatch(c -> c == 0x1b));
  }
}
