package org.roce4j.tools.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.tools.CommandRun;

/** Each command with itself, over UDP between two loopback addresses that no other test uses. */
@EnabledOnOs(OS.LINUX) // only there is every 127.0.0.0/8 address of this host
@Timeout(60)
class CmCommandsTest {
  private static final String HERE = "127.83.7.1";
  private static final String THERE = "127.83.7.2";

  /** The words of the server after which it can be called, and what each side must print. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rping -s -d -v -S 4096 -a HERE    | rdma_listen    | server ping data: rdma-ping-4: EFGH | rping -c -v -V -C 5 -S 4096 -a HERE -I THERE | ping data: rdma-ping-4: EFGH
          rping -s -d -v -S 4096 -a HERE    | rdma_listen    | server ping data: rdma-ping-4: EFGH | rping -c -v -V -C 5 -S 4096 -a HERE -I THERE --faults late=2ms | ping data: rdma-ping-4: EFGH
          rdma-server -s HERE               | start          | rdma_server: end 0                  | rdma-client -s HERE --bind THERE             | rdma_client: end 0
          rdma-xserver -b HERE | start | rdma_xserver: end 0 | rdma-xclient -s HERE --bind THERE | rdma_xclient: end 0
          rdma-xserver -b HERE -c x | start | rdma_xserver: end 0 | rdma-xclient -s HERE --bind THERE -c x | rdma_xclient: end 0
          ucmatose -b HERE -c 3             | starting       | data transfers complete             | ucmatose -s HERE -b THERE -c 3               | data transfers complete
          ucmatose -b HERE -c 2 -m          | starting       | migrating to new event channel      | ucmatose -s HERE -b THERE -c 2 -m            | migrating to new event channel
          udaddy -b HERE -c 3               | starting       | data transfers complete             | udaddy -s HERE -b THERE -c 3                 | data transfers complete
          cmtime -b HERE -c 8               | listening      | listening at                        | cmtime -s HERE -b THERE -c 8                 | disconnect
          mckey -m 239.83.7.1 -b HERE       | receiving data | data transfers complete             | mckey -m 239.83.7.1 -b THERE -s              | data transfers complete
          """)
  void aCommandPairsWithItself(
      String server, String ready, String served, String client, String done) {
    StringWriter heard = new StringWriter();
    CompletableFuture<CommandRun> serving = start(server, heard);
    while (!heard.toString().contains(ready) && !serving.isDone()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
    CommandRun called = start(client, new StringWriter()).join();
    assertEquals(0, called.status(), called::toString);
    CommandRun end = serving.join();
    assertEquals(0, end.status(), end::toString);
    called.assertPrinted(done);
    end.assertPrinted(served);
  }

  /** On a thread of its own: a common pool may have one alone, and a server keeps it. */
  private static CompletableFuture<CommandRun> start(String line, StringWriter out) {
    String words = line.replace("THERE", THERE).replace("HERE", HERE);
    return CompletableFuture.supplyAsync(
        () -> CommandRun.of(words, out), command -> Thread.ofPlatform().daemon().start(command));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rping -s -a HERE --faults refuse=EIO",
        "ucmatose -b HERE --faults refuse=EIO",
        "cmtime -b HERE --faults device-fatal"
      })
  void aFaultAtTheVerbsFailsTheRun(String line) {
    CommandRun run = CommandRun.of(line.replace("HERE", HERE));
    assertEquals(1, run.status(), run::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"rping -c", "rping -s -S 5", "mckey -m 10.0.0.1", "ucmatose -c 0"})
  void whatIsWrongIsSaidBeforeAnythingIsOpened(String line) {
    assertEquals(2, CommandRun.of(line).status());
  }
}
