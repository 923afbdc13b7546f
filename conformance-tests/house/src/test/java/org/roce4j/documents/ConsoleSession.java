package org.roce4j.documents;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A block of commands with their output. A line that begins with {@code $} is a command, and the
 * following lines are its output, in which {@code ...} alone stands for any lines and {@code …} for
 * any words.
 */
final class ConsoleSession {
  private static final Pattern PROGRESS =
      Pattern.compile("(?m)^\\d+ of \\d+ [a-z ]+ \\(\\d+ %\\) in \\d+ s.*\\R");

  private static final long PATIENCE_SECONDS = 600;

  /** A network namespace with a loopback interface, where the command's ports are its own. */
  private static final List<String> ISOLATED =
      List.of("unshare", "-Urn", "sh", "-c", "ip link set lo up && exec sh -c \"$0\"");

  private final Path directory;

  /**
   * @param directory working directory of the commands, with {@code ./roce4j}, {@code docs/lessons}
   *     and {@code examples/faults} in it
   */
  ConsoleSession(Path directory) throws IOException {
    this.directory = directory;
    Path launcher = directory.resolve("roce4j");
    if (!Files.exists(launcher)) {
      // Runs the classes under test and the commands that benchmarks add; the real launcher would
      // build.
      String script =
          "#!/bin/sh\nexec '%s' --enable-native-access=ALL-UNNAMED -XX:TieredStopAtLevel=1 -XX:+UseSerialGC ${ROCE4J_JAVA_OPTS:-} -cp '%s' org.roce4j.tools.Roce4j \"$@\"\n"
              .formatted(
                  Path.of(System.getProperty("java.home"), "bin", "java"),
                  System.getProperty("java.class.path")
                      + ":"
                      + Document.ROOT.resolve("benchmarks/target/classes").toAbsolutePath());
      Files.writeString(launcher, script);
      Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
      for (String given : List.of("docs/lessons", "examples/faults")) {
        Path link = directory.resolve(given);
        Files.createDirectory(link.getParent());
        Files.createSymbolicLink(link, Document.ROOT.resolve(given).toAbsolutePath());
      }
    }
  }

  /**
   * A command with its expected output.
   *
   * @param expected lines of the output
   */
  record Step(String command, List<String> expected) {
    Pattern pattern() {
      StringBuilder regex = new StringBuilder();
      for (String line : expected) {
        if (line.equals("...")) {
          regex.append("(?:.*\\n)*?");
        } else {
          for (String fixed : line.split("(?<=…)|(?=…)")) {
            regex.append(fixed.equals("…") ? ".*" : Pattern.quote(fixed));
          }
          regex.append("\\n");
        }
      }
      return Pattern.compile(regex.toString());
    }
  }

  static List<Step> steps(String text) {
    List<Step> steps = new ArrayList<>();
    for (String line : text.lines().toList()) {
      if (line.startsWith("$ ")) {
        steps.add(new Step(line.substring(2), new ArrayList<>()));
      } else if (!steps.isEmpty()) {
        steps.getLast().expected().add(line);
      }
    }
    return steps;
  }

  /**
   * The result of a command.
   *
   * @param output standard output and standard error
   */
  record Outcome(int status, String output) {}

  /**
   * The output of the command, errors included, without progress lines, which appear on a slow
   * machine only.
   */
  String run(String command) throws IOException, InterruptedException {
    String output = run(List.of("/bin/sh", "-c", command), directory).output();
    return PROGRESS.matcher(output).replaceAll("");
  }

  /** Runs the command in a network namespace of its own, if the machine allows one. */
  Outcome runIsolated(String command) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>();
    if (run("unshare -Urn ip link set lo up && echo yes").equals("yes\n")) {
      words.addAll(ISOLATED);
    } else {
      words.addAll(List.of("/bin/sh", "-c"));
    }
    words.add(command);
    return run(words, directory);
  }

  /** Runs the command with the JDK of this test first in the search path. */
  static Outcome run(List<String> command, Path directory)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
    builder
        .environment()
        .merge(
            "PATH",
            Path.of(System.getProperty("java.home"), "bin").toString(),
            (path, jdk) -> jdk + ":" + path);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("'" + command + "' does not end");
    }
    return new Outcome(process.exitValue(), output);
  }
}
