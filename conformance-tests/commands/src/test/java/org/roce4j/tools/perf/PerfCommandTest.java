package org.roce4j.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.perf.traffic.PerfPlan;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpType;
import picocli.CommandLine.ParameterException;

class PerfCommandTest {
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          send_bw,                       65536, 1000, 128, 512,   1,   1,   0
          send_bw -s 64,                    64, 1000, 128, 512,   1, 100,   0
          send_bw -s 64 -l 50,              64, 1000, 128, 512,  50,  50,   0
          send_bw -s 64 -l 200 -Q 100,      64, 1000, 200, 512, 200, 100,   0
          send_bw -s 64 -n 20,              64,   20,  20,  20,   1,  20,   0
          send_bw -c UD,                  1024, 1000, 128, 1000,  1, 100,   0
          send_bw --verify,              65536, 1000,  16,  32,   1,   1,   0
          write_bw,                      65536, 5000, 128, 512,   1,   1,   0
          write_bw -s 8192 -t 16,         8192, 5000,  16, 512,   1,  16,   0
          send_lat,                          2, 1000,  16, 512,   1,  16, 220
          send_lat -I 0,                     2, 1000,  16, 512,   1,  16,   0
          read_lat -I 100,                   2, 1000,  16, 512,   1,  16,   0
          atomic_bw,                         8, 1000, 128, 512,   1, 100,   0
          """)
  void defaultsAreThoseOfPerftest(
      String line, int size, int iterations, int tx, int rx, int list, int every, int inline) {
    PerfPlan plan = options(line).plan();
    assertEquals(size, plan.size());
    assertEquals(iterations, plan.iterations());
    assertEquals(tx, plan.txDepth());
    assertEquals(rx, plan.rxDepth());
    assertEquals(list, plan.postList());
    assertEquals(every, plan.signalEvery());
    assertEquals(inline, plan.inline());
  }

  @Test
  void namesAreReadAsPeopleWriteThem() {
    PerfPlan plan = options("WRITE_LAT -c uc -m 2048 -e".replace(" -e", "")).plan();
    assertEquals("write_lat", plan.test().toString());
    assertEquals(QpType.UC, plan.service());
    assertEquals(2048, plan.mtu().bytes());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "send_bw",
        "send_bw -s 64 -l 64 -n 6400 -Q 32 -t 256 -e",
        "write_bw -D 0.5 -q 7 -m 1024 -x 1 --set mtu=2048 --set engines=2",
        "read_lat --verify -s 5000 -u 20 --warm-up 0.25 --patience 3 --transport netty --no-pin",
        "send_lat -c UD -d rxe0 -I 64 -r 100 --json",
      })
  void bothSidesOfAPairAreToldTheSame(String line) {
    PerfOptions options = options(line);
    Gid address = Gid.parse("127.0.0.9");
    PerfOptions server = PerfCommand.parse(options.side("--server", 0, address));
    PerfOptions client = PerfCommand.parse(options.side("127.0.0.1", 4000, address));
    for (PerfOptions side : List.of(server, client)) {
      assertEquals(all(options.plan()), all(side.plan()));
      assertEquals(options.warmUp(), side.warmUp());
      assertEquals(options.patience(), side.patience());
      assertEquals(options.transport(), side.transport());
      assertEquals(options.gidIndex(), side.gidIndex());
      assertEquals(options.device() == null ? address : null, side.bound());
    }
    assertTrue(server.server());
    assertEquals("127.0.0.1", client.host());
    assertEquals(4000, client.port());
  }

  /** A message may be as long as the path MTU, and no longer. */
  @ParameterizedTest
  @CsvSource({"UD, 1024, true", "UD, 1025, false", "RC, 1025, true", "UC, 1025, true"})
  void aDatagramFitsThePath(String service, int size, boolean fits) {
    PerfPlan plan =
        options("SEND_BW -c " + service + " -m 2048 -s " + size).plan().over(Mtu.MTU_1024);
    if (fits) {
      assertSame(plan, Session.checked(plan));
    } else {
      assertThrows(ToolFailure.class, () -> Session.checked(plan));
    }
  }

  /** The content of a plan file. */
  private static List<Object> all(PerfPlan plan) {
    return Stream.of(PerfPlan.class.getMethods())
        .filter(method -> method.getDeclaringClass() == PerfPlan.class)
        .filter(method -> method.getParameterCount() == 0 && !method.getName().equals("packets"))
        .sorted(Comparator.comparing(Method::getName))
        .map(method -> valueOf(method, plan))
        .toList();
  }

  private static Object valueOf(Method method, PerfPlan plan) {
    try {
      return method.getName() + "=" + method.invoke(plan);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          send_bw -s -1                     | -s must be 0 to
          send_bw -s 2000000000             | -s must be 0 to
          send_bw -m 1000                   | not 256, 512, 1024, 2048 or 4096
          atomic_bw -s 16                   | an atomic operation has 8 bytes
          atomic_bw -c UC                   | UC has SEND and WRITE only
          read_lat -c UD                    | UD has SEND only
          send_bw -c UD -s 5000             | a datagram has no second packet
          send_bw -c UD -s 2048 -m 1024     | a datagram has no second packet
          send_bw -c XRC                    | -c
          send_lat -q 2                     | -q is for bandwidth tests
          send_lat -l 2                     | -l is for bandwidth tests
          write_lat -e                      | no event comes
          write_lat -s 0                    | needs a byte
          send_bw -n 10 -D 1                | choose
          send_bw -n 10 -l 3                | multiple of -l
          send_bw -l 64 -n 64 -Q 7          | multiple of -Q
          send_bw -l 64 -n 64 -t 32         | no room
          send_bw --server 10.0.0.1         | choose
          write_bw -c UC --verify           | --verify on UC
          send_bw --verify -l 4             | leave out -l
          send_bw --transport fabric --server | the fabric lives in one process
          send_bw --transport fabric -D 1   | time is virtual
          send_bw --bind 127.0.0.1          | needs two addresses
          send_bw --bind 127.0.0.1,::1      | both IPv6
          send_bw --bind nonsense           | nonsense
          send_bw -d rxe0 --transport netty | leave out --transport
          send_bw --faults nonsense         | --faults
          send_bw -p 70000                  | 0 to 65535
          send_wb                           | send_wb
          """)
  void whatCannotBeObeyedIsOneClearLine(String line, String message) {
    ParameterException e = assertThrows(ParameterException.class, () -> options(line));
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }

  private static PerfOptions options(String line) {
    return PerfCommand.parse(List.of(line.strip().split(" ")));
  }
}
