package org.roce4j.tools.explore;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.roce4j.emulator.Faults;
import org.roce4j.tools.explore.Outcome.Ending;
import org.roce4j.verbs.text.Wording;

/**
 * Runs a JUnit test in JVMs that are reused; a JVM that hangs or ends is replaced. System
 * properties carry the plan.
 */
final class TestRunner implements Runner {
  private static final int LAST_LINES = 2000; // The stacks of some JVMs.
  private static final long GLANCE_MS = 20;

  private final String test;
  private final List<String> command;
  private final Path directory;
  private final BooleanSupplier stopped;

  /** The directory for the packets of failed tests; null: they are deleted after the run. */
  private volatile Path kept;

  private final BlockingQueue<Worker> idle = new LinkedBlockingQueue<>();

  /** A JVM and its answers. */
  private record Worker(
      Process process, BufferedWriter runs, BlockingQueue<String> answers, Path output) {}

  /**
   * @param stopped whether runs must end at once
   */
  TestRunner(String test, String classPath, BooleanSupplier stopped) {
    this.test = test;
    this.stopped = stopped;
    String path = TestClassPath.of(classPath);
    try {
      directory = Files.createTempDirectory("roce4j-explore");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-ea",
            "-XX:+DisplayVMOutputToStderr", // warnings must not mix with answers
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            path + File.pathSeparator + TestClassPath.copyWorker(directory.resolve("worker")),
            TestClassPath.WORKER,
            test);
  }

  @Override
  public Outcome run(Faults plan, Path log, long timeoutNs) {
    long start = System.nanoTime();
    try {
      Worker worker = idle.poll();
      worker = worker == null || !worker.process.isAlive() ? started() : worker;
      long printed = Files.size(worker.output);
      Path files = kept == null ? log : kept;
      worker.runs.write(plan.seed() + "\t" + log + "\t" + files + "\t" + plan + "\n");
      worker.runs.flush();
      String answer = answer(worker, start + timeoutNs);
      Ending end = answer != null ? ended(answer) : end(worker);
      Outcome outcome =
          new Outcome(
              end,
              failure(end, answer),
              System.nanoTime() - start,
              lines(worker.output, printed),
              PlanLog.read(log));
      if (worker.process.isAlive()) {
        idle.add(worker);
      }
      return outcome;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Ending ended(String answer) {
    return answer.isEmpty() ? Ending.PASSED : Ending.FAILED;
  }

  private Ending end(Worker worker) {
    if (!worker.process.isAlive()) {
      return Glance.sees(stopped) ? Ending.STOPPED : Ending.FAILED;
    }
    boolean late = !stopped.getAsBoolean();
    EndedProcess.end(worker.process, late ? worker.output : null);
    return late ? Ending.HUNG : Ending.STOPPED;
  }

  private static String failure(Ending end, String answer) {
    return switch (end) {
      case HUNG -> "it hangs";
      case FAILED -> answer == null ? "the JVM ends" : answer;
      default -> "";
    };
  }

  /**
   * The worker's answer; null if it is too late, the search was interrupted, or the JVM has ended.
   */
  private String answer(Worker worker, long deadlineNs) {
    try {
      while (deadlineNs - System.nanoTime() > 0 && !stopped.getAsBoolean()) {
        boolean alive = worker.process.isAlive();
        String answer = worker.answers.poll(GLANCE_MS, TimeUnit.MILLISECONDS);
        if (answer != null || !alive) {
          return answer;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return null;
  }

  private Worker started() throws IOException {
    Path output = Files.createTempFile(directory, "output", "");
    Process process = new ProcessBuilder(command).redirectError(output.toFile()).start();
    BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    Thread.ofVirtual().start(() -> process.inputReader().lines().forEach(answers::add));
    return new Worker(process, process.outputWriter(), answers, output);
  }

  private static List<String> lines(Path output, long from) throws IOException {
    List<String> lines;
    try (InputStream in = Files.newInputStream(output)) {
      in.skipNBytes(from);
      lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
    return lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size());
  }

  @Override
  public void keepFiles(Path wanted) {
    kept = wanted.toAbsolutePath();
  }

  @Override
  public String repeat(Faults plan) {
    return Wording.of(
        "ROCE4J_SEED=%d ROCE4J_PLAN=%s mvn test -Dtest=%s",
        plan.seed(),
        ShellWords.quoted(plan.toString()),
        ShellWords.quoted(test.substring(test.lastIndexOf('.') + 1)));
  }

  @Override
  public void close() {
    idle.forEach(worker -> EndedProcess.end(worker.process, null));
    DirectoryTree.delete(directory);
  }
}
