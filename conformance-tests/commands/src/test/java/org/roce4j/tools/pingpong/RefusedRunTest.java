package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.connect.ExchangedAddress;
import org.roce4j.tools.CommandRun;
import org.roce4j.tools.OwnNetwork;

/**
 * Runs that cannot succeed end with an exit status and one line with the remedy, and leave nothing
 * running or bound.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedRunTest {
  private static final long PROCESS = ProcessHandle.current().pid();
  private static final String A = OwnNetwork.address(21);
  private static final String B = OwnNetwork.address(22);
  private static final int RDMA_PORT = 4791;

  /** A thread that still runs, also one of an earlier test, ends soon. */
  @AfterEach
  void nothingIsLeft() throws IOException, InterruptedException {
    for (Thread each : Thread.getAllStackTraces().keySet()) {
      if (each.getName().startsWith("roce4j-")) {
        assertTrue(each.join(Duration.ofSeconds(20)), () -> each.getName() + " goes on");
      }
    }
    for (String address : List.of(A, B)) {
      new DatagramSocket(new InetSocketAddress(InetAddress.getByName(address), RDMA_PORT)).close();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          2 | --frobnicate                        | there is no option '--frobnicate' (roce4j pingpong --help
          2 | --size -1                           | --size must be 0 to 2147483648 bytes, not -1
          2 | --size 2147483649                   | --size must be 0 to 2147483648 bytes
          2 | --mtu 1500                          | '1500' is not 256, 512, 1024, 2048 or 4096
          2 | --bind 0.0.0.0                      | --bind needs the address of one interface
          2 | --transport teleport                | 'teleport' is none of auto, linux, netty
          2 | -u 32                               | -u must be 0 to 31, not 32
          2 | --iters many                        | --iters: 'many' is not a whole number
          2 | --set engines                       | --set: 'engines' is no SETTING=VALUE
          2 | --device nonsense                   | no device is called 'nonsense'; there are: roce0
          2 | --ib-port 2                         | --ib-port is of a device with several ports
          2 | --device roce0 -i 0                 | -i must be 1 to 255, not 0
          2 | --set device.roce0.addresses=$A --device roce0 -i 2 | device roce0 has port 1 alone, not port 2
          2 | --set device.roce0.addresses=$A --device roce0 --gid-index 7 | device roce0 has no GID with index 7 (0 is $A)
          2 | --set device.roce0.addresses=$A --device roce0 --mtu 4096 --set mtu=1024 | path MTU 4096 is more than device roce0 carries, 1024
          2 | --transport netty --set engines=4   | the transport netty carries one engine; set engines=1
          2 | --bind 192.0.2.1                    | 192.0.2.1 is no address of this machine; it has
          2 | --bind 127.255.255.255              | is the broadcast address of lo; use 127.0.0.1
          1 | --capture /dev/full --bind $A,$B -n 9 | /dev/full
          1 | --bind $B $A --port 9               | start the server first, with the same --port
          1 | --bind $B no-such-host.invalid      | no host is called 'no-such-host.invalid'
          """)
  void isOneLineWithTheRemedy(int status, String options, String message) {
    CommandRun run = CommandRun.of("pingpong " + options.strip().replace("$A", A).replace("$B", B));
    assertEquals(status, run.status(), run.err());
    assertOneLine(run, message.replace("$A", A));
  }

  @ParameterizedTest
  @CsvSource({"linux", "netty"})
  void anAddressInUseIsNamedWithAFreeOne(String transport) throws IOException {
    CommandRun run;
    try (DatagramSocket holder =
        new DatagramSocket(new InetSocketAddress(InetAddress.getByName(A), RDMA_PORT))) {
      run = CommandRun.of("pingpong --bind " + B + "," + A + " --transport " + transport);
      assertTrue(holder.isBound());
    }
    assertEquals(1, run.status());
    assertOneLine(run, A + ":4791 is in use by process " + PROCESS);
    assertTrue(run.err().contains("; use " + OwnNetwork.PREFIX), run.err());
  }

  @Test
  void aServerThatKeepsSilentIsGivenUp() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getByName(A))) {
      CommandRun run =
          CommandRun.of(
              "pingpong --patience 1 --bind %s --port %d %s"
                  .formatted(B, silent.getLocalPort(), A));
      assertEquals(1, run.status());
      assertOneLine(run, "within 1 s");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          pingpong --server                         | TCP port
          pingpong --server --bind 127.0.0.1        | TCP port
          perf write_bw --server                    | TCP port
          perf write_bw --server -R --bind 127.0.0.1 | rdma_cm port
          """)
  void aServerThatNobodyCallsGivesUpWhenTold(String server, String where) throws IOException {
    String line =
        server.replace("127.0.0.1", B) + " --accept-timeout 1 --port " + UdpPingPongTest.freePort();
    CommandRun run = CommandRun.of(line);
    assertEquals(1, run.status());
    assertTrue(
        run.err().matches(".*: no client came to %s \\d+ within 1 s .*\\R".formatted(where)),
        run.err());
  }

  @Test
  void onlyAServerWaitsForAClient() {
    CommandRun run = CommandRun.of("pingpong --accept-timeout 1");
    assertEquals(2, run.status());
    assertOneLine(run, "--accept-timeout is for a server");
    assertEquals(2, CommandRun.of("pingpong --server --accept-timeout 0").status());
  }

  /** A peer that answers the exchange of addresses but has no device. */
  @Test
  void aPeerThatCannotBeReachedIsNamed() throws Exception {
    try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getByName(A))) {
      CompletableFuture<Integer> served = CompletableFuture.supplyAsync(() -> playServer(deaf));
      CommandRun run =
          CommandRun.of(
              "pingpong --patience 60 --bind %s --port %d %s".formatted(B, deaf.getLocalPort(), A));
      assertEquals(1, run.status(), run.out());
      assertOneLine(run, "nothing ever came from it, so look for a firewall");
      served.get(60, TimeUnit.SECONDS);
    }
  }

  private static int playServer(ServerSocket listener) {
    try (Socket client = listener.accept()) {
      InputStream in = client.getInputStream();
      byte[] its = in.readNBytes(ExchangedAddress.LENGTH);
      String gid = "00000000000000000000ffff" + hex(A);
      String own = "0000:000042:000017:" + gid;
      client.getOutputStream().write((own + "\0").getBytes(StandardCharsets.US_ASCII));
      return its.length + in.readAllBytes().length; // until the client goes away
    } catch (IOException gone) {
      return -1;
    }
  }

  private static String hex(String ipv4) {
    StringBuilder hex = new StringBuilder();
    for (String number : ipv4.split("\\.", -1)) {
      hex.append("%02x".formatted(Integer.parseInt(number)));
    }
    return hex.toString();
  }

  @Test
  void endsWithDifferentPathMtusBothFailWithALine() throws Exception {
    int port = UdpPingPongTest.freePort();
    CompletableFuture<CommandRun> server =
        CompletableFuture.supplyAsync(
            () ->
                CommandRun.of(
                    "pingpong --server --patience 60 --size 9000 --mtu 1024 --bind "
                        + A
                        + " --port "
                        + port));
    UdpPingPongTest.awaitListening(port);
    CommandRun client =
        CommandRun.of(
            "pingpong --patience 60 --size 9000 --mtu 4096 --bind %s --port %d 127.0.0.1"
                .formatted(B, port));
    CommandRun other = server.get(60, TimeUnit.SECONDS);
    assertNotEquals(0, client.status(), client.out());
    assertNotEquals(0, other.status(), other.out());
    assertOneLine(client, "--mtu");
    assertOneLine(other, "--mtu");
  }

  /** One line, apart from the progress of a slow run. */
  private static void assertOneLine(CommandRun run, String message) {
    List<String> lines =
        run.err().lines().filter(line -> !line.matches("\\d+ of \\d+ .* in \\d+ s")).toList();
    assertEquals(1, lines.size(), run.err());
    assertTrue(lines.getFirst().startsWith("roce4j pingpong: "), run.err());
    assertTrue(lines.getFirst().contains(message.strip()), run.err());
  }
}
