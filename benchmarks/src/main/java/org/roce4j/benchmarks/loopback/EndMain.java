package org.roce4j.benchmarks.loopback;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.roce4j.verbs.Gid;

/**
 * The program of one end. It obeys lines from standard input: {@code connect KIND PEER}, {@code
 * active KIND NS} and {@code passive KIND} run, where KIND is {@code device} or {@code twin}; the
 * end of input ends it.
 */
public final class EndMain {
  private EndMain() {}

  /**
   * Runs one end.
   *
   * @param args workload, transport, shared file, own address, peer's address, UDP port of the
   *     device and of the twin
   */
  public static void main(String[] args) throws IOException {
    Workload workload = Workload.valueOf(args[0]);
    SharedPage shared = new SharedPage(Path.of(args[2]));
    Gid own = Gid.parse(args[3]);
    Gid peer = Gid.parse(args[4]);
    try (End device =
            new DeviceEnd(workload, shared, args[1], own, peer, Integer.parseInt(args[5]));
        End twin = new TwinEnd(workload, shared, own, peer, Integer.parseInt(args[6]));
        BufferedReader commands =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      say(device.address());
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        String[] words = line.split(" ", 3);
        End end = words[1].equals("device") ? device : twin;
        switch (words[0]) {
          case "connect" -> {
            end.connect(words[2]);
            say("connected");
          }
          case "passive" -> {
            say("serving");
            end.passive();
            say("served");
          }
          case "active" -> say(end.active(Long.parseLong(words[2])).line());
          default -> throw new IllegalStateException("what is " + line);
        }
      }
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
