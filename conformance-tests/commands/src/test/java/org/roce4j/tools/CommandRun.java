package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One run of the command in this process: its exit status and output. */
public record CommandRun(int status, String out, String err) {
  /** Runs a command line, split at spaces. */
  public static CommandRun of(String line) {
    return of(line, new StringWriter());
  }

  /** Runs a command line, split at spaces. @param out receives the output while the command runs */
  public static CommandRun of(String line, StringWriter out) {
    StringWriter err = new StringWriter();
    int status =
        Roce4j.run(new PrintWriter(out, true), new PrintWriter(err, true), false, line.split(" "));
    return new CommandRun(status, out.toString(), err.toString());
  }

  /** The command line, split at spaces, as a process of its own, which has not begun. */
  public static ProcessBuilder process(String line) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Roce4j.class.getName()));
    command.addAll(List.of(line.split(" +")));
    return new ProcessBuilder(command);
  }

  /**
   * The options of a game on sockets whose ends wait 4.3 s for an ACK and a minute for a message,
   * so that a peer whose thread waits for a processor is not given up.
   */
  public static CommandRun pingPong(String options) {
    return of("pingpong -u 20 --patience 60 " + options);
  }

  public String lastLine() {
    return out.lines().reduce("", (first, second) -> second);
  }

  public void assertPrinted(String part) {
    assertTrue(out.contains(part), () -> "'" + part + "' is not in:\n" + out + err);
  }
}
