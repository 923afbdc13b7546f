package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.tools.options.TransportName;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

class PingPongCommandTest {
  @Test
  void theDefaultsAreThoseOfTheCProgram() {
    PingPongOptions options = parse();
    assertEquals(new PingPongPlan(1000, 4096, Mtu.MTU_1024, false, 1, 14), options.plan());
    assertEquals(PingPongService.RC, options.service());
    assertEquals(TransportName.AUTO, options.transport());
    assertEquals(18515, options.port());
    assertEquals(0, options.gidIndex());
    assertEquals(List.of(), options.bind());
    assertEquals(Duration.ofSeconds(10), options.patience());
    assertNull(options.capture());
    assertNull(options.device());
    assertTrue(options.local());
  }

  @Test
  void readsEveryOption() {
    PingPongOptions options =
        parse(
            "--service RC --iters 7 --size 65536 --mtu 4096 --events --transport netty"
                + " --capture target/p.pcapng --snaplen 128 --bind fd77::1 --gid-index 1 --port 9"
                + " --patience 3 --qp-timeout 17 10.77.0.2");
    assertEquals(new PingPongPlan(7, 65_536, Mtu.MTU_4096, true, 1, 17), options.plan());
    assertEquals(TransportName.NETTY, options.transport());
    assertEquals("target/p.pcapng", options.capture().toString());
    assertEquals(128, options.snaplen());
    assertEquals(List.of(Gid.parse("fd77::1")), options.bind());
    assertEquals(1, options.gidIndex());
    assertEquals(9, options.port());
    assertEquals("10.77.0.2", options.host());
    assertEquals(Duration.ofSeconds(3), options.patience());
    assertFalse(options.local());
  }

  @Test
  void readsTheShortOptionsOfTheCProgram() {
    PingPongOptions options = parse("-n 5 -s 1 -m 256 -e -g 2 -p 1000 host");
    assertEquals(new PingPongPlan(5, 1, Mtu.MTU_256, true, 1, 14), options.plan());
    assertEquals(2, options.gidIndex());
    assertEquals(1000, options.port());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--bind 127.0.0.3,127.0.0.4",
        "--bind ::1",
        "--transport fabric",
        "--size 0",
        "--size 2147483648",
        "--device roce0 --gid-index 1",
        "--server --bind 10.77.0.1",
        "--service ud --size 4096 --mtu 4096",
        "--service srq -q 255",
      })
  void accepts(String line) {
    assertEquals(TransportName.class, parse(line).transport().getClass());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --nonsense                            | Unknown option: '--nonsense'
          --iters                               | Missing required parameter for option '--iters'
          --iters 0                             | --iters must be 1 or more, not 0
          --iters -1                            | --iters must be 1 or more, not -1
          --iters many                          | 'many' is not a long
          --size -1                             | --size must be 0 to 2147483648 bytes, not -1
          --size 2147483649                     | --size must be 0 to 2147483648 bytes
          --size 99999999999999999999           | give bytes, plain or in KiB
          --mtu 1500                            | '1500' is not 256, 512, 1024, 2048 or 4096
          --mtu big                             | 'big' is not 256, 512, 1024, 2048 or 4096
          --port 0                              | --port must be 1 to 65535, not 0
          --port 65536                          | --port must be 1 to 65535, not 65536
          --gid-index -1                        | --gid-index must be 0 to 255, not -1
          --gid-index 256                       | --gid-index must be 0 to 255, not 256
          --patience 0                          | --patience must be 1 second or more
          --transport rdma                      | expected one of
          --service xrx                         | expected one of
          --service ud --size 1025              | a datagram has no second packet
          --service srq --qps 0                 | --qps must be 1 to 255, not 0
          --service srq --qps 256               | --qps must be 1 to 255, not 256
          --qps 2                               | --qps is for --service srq; rc plays on one
          --service xrc --clients 0             | --clients must be 1 to 255, not 0
          --service xrc --qps 2                 | xrc has a pair for each of its --clients
          --clients 2                           | --clients is for --service xrc; rc has one client
          --server host                         | --server waits for a peer and HOST calls one
          host other                            | Unmatched argument at index 1: 'other'
          --transport fabric host               | the fabric lives in one process
          --transport fabric --server           | the fabric lives in one process
          --transport fabric --gid-index 1      | index 0
          --bind localhost                      | 'localhost' is not an IPv4 or IPv6 address literal
          --bind 300.1.1.1                      | is not an IPv4 or IPv6 address literal
          --bind 0.0.0.0                        | --bind needs the address of one interface
          --bind ::                             | --bind needs the address of one interface
          --bind 224.0.0.1                      | --bind needs the address of one interface
          --bind 127.0.0.1,::1                  | both IPv6
          --bind 127.0.0.1,127.0.0.1            | twice
          --bind 127.0.0.1,127.0.0.2,127.0.0.3  | --bind takes at most 2 addresses here, not 3
          --server --bind 127.0.0.1,127.0.0.2   | --bind takes at most 1 address here, not 2
          --device roce0 --bind 127.0.0.1       | leave out --bind
          --device roce0 --transport linux      | leave out --transport
          --device roce0 --capture x.pcapng     | leave out --device
          --snaplen 100                         | --snaplen says how much --capture keeps
          --capture x.pcapng --snaplen 10       | --snaplen must be 64 to 262144 bytes, not 10
          --capture /no/such/dir/x.pcapng       | there is no directory /no/such/dir
          --capture target                      | is a directory
          """)
  void refuses(String line, String message) {
    ParameterException refusal = assertThrows(ParameterException.class, () -> parse(line));
    assertTrue(refusal.getMessage().contains(message), refusal.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "rc,4096,1,1000",
    "uc,4096,1,1000",
    "ud,1024,1,1000",
    "srq,4096,16,1000",
    "xrc,4096,1,5",
    "xrc --clients 3,4096,3,15"
  })
  void eachServiceHasTheDefaultsOfItsCProgram(String service, long size, int qps, long messages) {
    PingPongPlan plan = parse("--service " + service).plan();
    assertEquals(messages, plan.iterations());
    assertEquals(size, plan.size());
    assertEquals(qps, plan.qps());
  }

  private static PingPongOptions parse(String... lines) {
    PingPongCommand command = new PingPongCommand();
    CommandLine commandLine = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
    commandLine.parseArgs(lines.length == 0 ? new String[0] : lines[0].split(" "));
    return command.options();
  }
}
