package org.roce4j.benchmarks.loopback;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that runs {@link EndMain}, tied to one processor where that is possible. */
final class EndProcess implements AutoCloseable {
  private static final Path TASKSET = Path.of("/usr/bin/taskset");

  private final Process process;
  private final BufferedReader answers;
  private final BufferedWriter commands;

  EndProcess(int processor, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    if (Runtime.getRuntime().availableProcessors() > 1 && Files.isExecutable(TASKSET)) {
      command.addAll(List.of(TASKSET.toString(), "-c", Integer.toString(processor)));
    }
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "--enable-native-access=ALL-UNNAMED"));
    String extra = System.getProperty("roce4j.benchmarks.options", "");
    if (!extra.isBlank()) {
      command.addAll(List.of(extra.split(" ")));
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), EndMain.class.getName()));
    command.addAll(arguments);
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    answers = process.inputReader(StandardCharsets.UTF_8);
    commands = process.outputWriter(StandardCharsets.UTF_8);
  }

  void tell(String command) throws IOException {
    commands.write(command);
    commands.newLine();
    commands.flush();
  }

  String hear() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("an end of the measurement has died; its reason is above");
    }
    return line;
  }

  @Override
  public void close() throws IOException {
    process.outputWriter().close();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
