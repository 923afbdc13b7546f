package org.roce4j.tools.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunningProcessesTest {
  /** Surefire and Gradle start tests with the class path in a file. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aProcessThatPublishesIsFoundAlthoughItsCommandLineDoesNotSaySo(@TempDir Path directory)
      throws IOException {
    Path program = directory.resolve("Sleeper.java");
    Files.writeString(program, "void main() throws Exception { System.in.read(); }");
    ProcessBuilder builder =
        new ProcessBuilder(
            ProcessHandle.current().info().command().orElseThrow(), program.toString());
    builder.environment().put("ROCE4J_STATS", "on");
    Process process = builder.start();
    try {
      while (RunningProcesses.ofRoce4j().stream().noneMatch(p -> p.pid() == process.pid())) {
        assertTrue(process.isAlive(), "it is looked for"); // a new process has no environment yet
      }
    } finally {
      process.destroyForcibly();
    }
  }

  /** A class path may be longer than a page; Java would then report no command line. */
  @Test
  void aProcessWithALongClassPathIsFoundAndCalledByItsClass(@TempDir Path directory)
      throws IOException {
    Path program = directory.resolve("Sleeper.java");
    Files.writeString(program, "void main() throws Exception { System.in.read(); }");
    String java = ProcessHandle.current().info().command().orElseThrow();
    String classPath = "lib/roce4j.jar".concat(":lib/another.jar".repeat(1000));
    Process process = new ProcessBuilder(java, "-cp", classPath, program.toString()).start();
    try {
      while (RunningProcesses.ofRoce4j().stream().noneMatch(p -> p.pid() == process.pid())) {
        assertTrue(process.isAlive(), "it is looked for"); // a new process has no command line yet
      }
      assertEquals("java", RunningProcesses.words(process.pid())); // of Sleeper.java
    } finally {
      process.destroyForcibly();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-Xmx1g -cp a.jar:b.jar com.example.Server --port 4 | Server --port 4",
        "-classpath a com.example.Outer$Main              | Outer$Main",
        "--class-path a Main x                            | Main x",
        "-p mods --add-modules all -m roce4j/org.x.Tool y | Tool y",
        "--module-path mods -jar /opt/app/server.jar run  | server.jar run",
        "-jar server.jar                                  | server.jar",
        "-Da=b                                            | ''",
        "-cp                                              | ''",
        "Main aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff g |"
            + " Main aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffff...",
      })
  void aProcessIsCalledByItsClassAndArguments(String arguments, String words) {
    assertEquals(words, RunningProcesses.words(List.of(arguments.split(" "))));
  }
}
