import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.roce4j.tools.Roce4j;

/**
 * Runs roce4j commands one after the other, each for a connection to a port of the loopback: lines
 * are arguments, an empty one begins the command; its output comes back, and its exit status in a
 * last line. A client that leaves before that has given the command up: the machine ends, since a
 * command cannot be ended in it.
 *
 * <p>Usage: {@code java GuestJvm PORT}. Its client is the script guest-jvm.
 */
final class GuestJvm {
  private GuestJvm() {}

  public static void main(String[] args) throws IOException {
    try (ServerSocket server =
        new ServerSocket(Integer.parseInt(args[0]), 1, InetAddress.ofLiteral("127.0.0.1"))) {
      while (true) {
        try (Socket client = server.accept()) {
          serve(client);
        }
      }
    }
  }

  private static void serve(Socket client) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
    List<String> command = new ArrayList<>();
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      command.add(line);
    }
    AtomicBoolean done = new AtomicBoolean();
    Thread.ofPlatform().daemon().start(() -> endUnless(done, client));
    PrintWriter out = new PrintWriter(client.getOutputStream(), true, StandardCharsets.UTF_8);
    int status = Roce4j.run(out, out, false, command.toArray(String[]::new));
    done.set(true);
    out.println(status);
  }

  /** The client sends nothing more: what can be read is the end of the stream. */
  private static void endUnless(AtomicBoolean done, Socket client) {
    try {
      client.getInputStream().read();
    } catch (IOException e) {
      // Closed on this side, or broken: whether that matters, the command's end tells.
    }
    if (!done.get()) {
      Runtime.getRuntime().halt(1);
    }
  }
}
