package org.roce4j.tools.stats;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Finds processes of this user that look like programs with roce4j's devices. */
public final class RunningProcesses {
  private static final int LONGEST_LINE = 60;

  /** Options of {@code java} whose value is the next word. */
  private static final Set<String> WITH_WORD =
      Set.of("-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules");

  private RunningProcesses() {}

  /**
   * The Java processes except this one that have roce4j on their command line, or have {@code
   * ROCE4J_STATS} in their environment if the system reports it: a build tool may hide the class
   * path in a file.
   */
  public static List<ProcessHandle> ofRoce4j() {
    ProcessHandle self = ProcessHandle.current();
    String user = self.info().user().orElse(null);
    return ProcessHandle.allProcesses()
        .filter(process -> process.pid() != self.pid())
        .filter(process -> Objects.equals(process.info().user().orElse(null), user))
        .filter(RunningProcesses::looksLikeUs)
        .toList();
  }

  private static boolean looksLikeUs(ProcessHandle process) {
    String command = process.info().command().orElse("");
    String line = String.join(" ", arguments(process));
    return command.endsWith("java")
        && !line.contains("maven")
        && (line.contains("roce4j") || publishesByEnvironment(process.pid()));
  }

  /**
   * The words after the command. Java reports no command line longer than a page, such as one with
   * a long class path, so that Linux is asked directly.
   */
  private static List<String> arguments(ProcessHandle process) {
    try {
      Path line = Path.of("/proc", Long.toString(process.pid()), "cmdline");
      List<String> words = List.of(Files.readString(line, StandardCharsets.UTF_8).split("\0"));
      return words.subList(1, words.size());
    } catch (IOException e) {
      return process.info().arguments().map(List::of).orElse(List.of());
    }
  }

  private static boolean publishesByEnvironment(long pid) {
    try {
      Path environment = Path.of("/proc", Long.toString(pid), "environ");
      return Files.readString(environment, StandardCharsets.ISO_8859_1).contains("ROCE4J_STATS=");
    } catch (IOException e) {
      return false; // no Linux, or the process has ended
    }
  }

  /** A process's command line: the main class or jar without its path, and its arguments. */
  public static String words(long pid) {
    return words(ProcessHandle.of(pid).map(RunningProcesses::arguments).orElse(List.of()));
  }

  /** The same of arguments: without options of the Java machine and the package of the class. */
  static String words(List<String> words) {
    int main = 0;
    while (main < words.size() && words.get(main).startsWith("-")) {
      main += WITH_WORD.contains(words.get(main)) ? 2 : 1;
    }
    String line = String.join(" ", words.subList(Math.min(main, words.size()), words.size()));
    String plain = line.replaceFirst("^\\S*?(?:/|\\.|^)([^\\s/]+\\.jar|[\\w$-]+)(?=\\s|$)", "$1");
    return plain.length() <= LONGEST_LINE ? plain : plain.substring(0, LONGEST_LINE) + "...";
  }
}
