package org.roce4j.tools.perf;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.peer.PeerConnection;
import org.roce4j.verbs.VerbsException;

/**
 * The other process of a pair on this machine. It serves one test after the other. A test begins
 * with a line of arguments on its standard input, separated by tabs. The process answers with the
 * TCP port on which it waits and, after the test, with {@code done VERIFIED_BYTES} or {@code failed
 * REASON}. The end of its input ends it.
 */
final class SecondProcess implements AutoCloseable {
  private static final Path TASKSET = Path.of("/usr/bin/taskset");
  private static final String SEPARATOR = "\t";
  private static final String DONE = "done ";

  private final Process process;
  private final BufferedReader answers;

  /**
   * Starts it.
   *
   * @param processor the processor to pin it to, or -1
   */
  SecondProcess(int processor) {
    List<String> command = new ArrayList<>();
    if (processor >= 0) {
      command.addAll(List.of(TASKSET.toString(), "-c", Integer.toString(processor)));
    }
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            SecondProcess.class.getName()));
    try {
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    } catch (IOException e) {
      throw ToolFailure.atRunTime("cannot start a second process: " + e.getMessage(), e);
    }
    answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Whether processes can be pinned and there are several processors. */
  static boolean canPin() {
    return Runtime.getRuntime().availableProcessors() > 1 && Files.isExecutable(TASKSET);
  }

  /** Pins this process to one processor. */
  static void pinThis(int processor) {
    try {
      new ProcessBuilder(
              TASKSET.toString(),
              "-acp",
              Integer.toString(processor),
              Long.toString(ProcessHandle.current().pid()))
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      throw ToolFailure.atRunTime("cannot run taskset: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Makes it serve a test; returns the TCP port on which it waits. */
  int serve(List<String> arguments) {
    var writer = process.outputWriter(StandardCharsets.UTF_8);
    try {
      writer.write(String.join(SEPARATOR, arguments));
      writer.newLine();
      writer.flush();
    } catch (IOException e) {
      throw ToolFailure.atRunTime("the second process has died: " + e.getMessage(), e);
    }
    String answer = hear();
    if (!answer.matches("\\d+")) {
      throw ToolFailure.atRunTime("the server: " + answer);
    }
    return Integer.parseInt(answer);
  }

  /**
   * The end of a test on the server's side.
   *
   * @param failure why it failed, or null
   * @param verifiedBytes the number of bytes that it verified
   */
  record RunResult(String failure, long verifiedBytes) {}

  /** Waits until the test is over. */
  RunResult outcome() {
    String answer = hear();
    return answer.startsWith(DONE)
        ? new RunResult(null, Long.parseLong(answer.substring(DONE.length())))
        : new RunResult(answer.replaceFirst("^failed ", ""), 0);
  }

  private String hear() {
    try {
      String line = answers.readLine();
      if (line != null) {
        return line;
      }
    } catch (IOException e) {
      // Reported below.
    }
    throw ToolFailure.atRunTime("the second process has died; its reason is above");
  }

  @Override
  public void close() {
    try (answers) {
      process.outputWriter().close();
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** The second process's main method. */
  public static void main(String[] args) {
    PrintStream out = System.out;
    // Ctrl-C on a terminal reaches both processes; this one goes on until the client has its
    // result.
    Onlooker onlooker = Onlooker.nobody();
    try (Interruption interruption = new Interruption();
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      interruption.begin();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        answer(out, serveOne(line.split(SEPARATOR, -1), out, onlooker));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    System.exit(0);
  }

  private static String serveOne(String[] words, PrintStream out, Onlooker onlooker) {
    try {
      PerfOptions options = PerfCommand.parse(List.of(words));
      try (PeerConnection.PeerListener listener =
          new PeerConnection.PeerListener(0, options.patience())) {
        answer(out, Integer.toString(listener.port()));
        return DONE + new PerfRun(options, line -> {}, onlooker).serve(listener).verifiedBytes();
      }
    } catch (VerbsException e) {
      return "failed " + e.remedy() + " (" + e.errno() + ")";
    } catch (RuntimeException e) {
      return "failed " + (e instanceof ToolFailure ? e.getMessage() : e.toString());
    }
  }

  private static void answer(PrintStream out, String line) {
    out.println(line.replaceAll("\\s*\\R\\s*", "; "));
    out.flush();
  }
}
