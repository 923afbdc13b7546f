package org.roce4j.benchmarks.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.verbs.Gid;

/** A sender whose receiver takes nothing. */
@EnabledOnOs(OS.LINUX)
class TwinTest {
  private static final Gid HERE = Gid.of(InetAddress.ofLiteral("127.0.0.1"));
  private static final Gid THERE = Gid.of(InetAddress.ofLiteral("127.0.0.2"));
  private static final long RUN_NS = 50_000_000;

  @TempDir private Path directory;
  private Path page;

  @BeforeEach
  void makePage() throws IOException {
    page = Files.write(directory.resolve("page"), new byte[Twin.pageBytes()]);
  }

  private Twin sender() throws IOException {
    int port;
    try (DatagramSocket free = new DatagramSocket(0)) {
      port = free.getLocalPort();
    }
    return new Twin(TwinKind.TRAINS, page, HERE, THERE, port, 4096, false);
  }

  @Test
  void aReceiverThatDoesNotRunIsWaitedForUntilTheEnd() throws IOException {
    try (Twin twin = sender()) {
      assertEquals(0, twin.send(RUN_NS));
      assertEquals(0, twin.lost());
    }
  }

  @Test
  void whatAReceiverHasLookedForInVainIsLost() throws IOException, InterruptedException {
    SharedPage shared = new SharedPage(page);
    Thread receiver =
        new Thread(
            () -> {
              while (!Thread.currentThread().isInterrupted()) {
                shared.countLook();
              }
            });
    try (Twin twin = sender()) {
      receiver.start();
      do { // its thread may not have run by the end of one run
        assertEquals(0, twin.send(RUN_NS));
      } while (twin.lost() <= 0.5);
    } finally {
      receiver.interrupt();
      receiver.join();
    }
  }
}
