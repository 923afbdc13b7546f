package org.roce4j.robustness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Java processes on the test's class path. They end with their test. */
final class Children implements AutoCloseable {
  private final List<Child> started = new ArrayList<>();

  /** A process whose output is collected while it runs. */
  static final class Child {
    private final Process process;
    private final List<String> out = new CopyOnWriteArrayList<>();
    private final List<String> err = new CopyOnWriteArrayList<>();
    private final List<Thread> readers;

    private Child(Process process) {
      this.process = process;
      readers =
          List.of(collector(process.inputReader(), out), collector(process.errorReader(), err));
    }

    private static Thread collector(BufferedReader reader, List<String> lines) {
      return Thread.ofPlatform()
          .daemon()
          .start(
              () -> {
                try {
                  reader.lines().forEach(lines::add);
                } catch (UncheckedIOException endOfProcess) {
                  lines.add("(its output broke off)");
                }
              });
    }

    /** Waits for a line on standard output. */
    String awaitLine(Predicate<String> wanted, int seconds) throws InterruptedException {
      long end = System.nanoTime() + seconds * 1_000_000_000L;
      while (System.nanoTime() - end < 0) {
        for (String line : out) {
          if (wanted.test(line)) {
            return line;
          }
        }
        Thread.sleep(10);
      }
      throw new AssertionError("the line did not come within " + seconds + " s: " + out + err);
    }

    /** Writes a line to its standard input. */
    void tell(String line) throws IOException {
      Writer writer = process.outputWriter();
      writer.write(line + "\n");
      writer.flush();
    }

    /** SIGKILL. */
    void kill() {
      process.destroyForcibly();
    }

    /** Waits for its end and returns its exit status. */
    int await(int seconds) throws InterruptedException {
      if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
        throw new AssertionError("still running after " + seconds + " s: " + out + err);
      }
      for (Thread reader : readers) {
        reader.join();
      }
      return process.exitValue();
    }

    long pid() {
      return process.pid();
    }

    List<String> out() {
      return out;
    }

    List<String> err() {
      return err;
    }
  }

  /** Starts the main method of a class. */
  Child start(String mainClass, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                mainClass));
    command.addAll(List.of(arguments));
    Child child = new Child(new ProcessBuilder(command).start());
    started.add(child);
    return child;
  }

  @Override
  public void close() {
    started.forEach(Child::kill);
    // SIGKILL ends them; no thread is interrupted here.
    started.forEach(child -> child.process.onExit().join());
  }
}
