package org.roce4j.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.tools.CommandFixture;
import org.roce4j.tools.OwnNetwork;
import org.roce4j.tools.console.Interruption;

/** Whole runs over UDP between two processes and on the virtual network. */
@Timeout(120)
class PerfRunTest extends CommandFixture {
  private static final String ADDRESSES = OwnNetwork.address(31) + "," + OwnNetwork.address(32);

  @ParameterizedTest
  @CsvSource({
    "send_bw -s 10000, 10000000",
    "send_bw -s 64 -q 5, 320000",
    "send_bw -c UC -s 5000 -n 200, 1000000",
    "send_bw -c UD -s 1000 -n 100, 100000",
    "write_bw -s 10000 -n 1000, 10000000",
    "read_bw -s 10000 -q 3, 30000000",
    "atomic_bw -q 3, 24000",
    "send_lat -s 100, 200000",
    "send_lat -s 5000 -c UC, 10000000",
    "send_lat -s 64 -c UD, 128000",
    "write_lat, 4000",
    "write_lat -s 5000, 10000000",
    "read_lat -s 5000, 5000000",
    "atomic_lat, 8000",
    "send_bw -R -s 10000 -q 3, 30000000",
    "read_bw -R -s 10000 -n 200, 2000000",
    "send_bw -R -c UD -s 500 -q 3 -n 100, 150000",
    "send_lat -R -c UD -s 500 -n 100, 100000",
  })
  void everyTestBringsEveryByteOverTheVirtualNetwork(String line, long bytes) {
    assertEquals(
        0, run("perf --verify --warm-up 0 --transport fabric --json " + line), err.toString());
    assertTrue(out.toString().contains("\"verified_bytes\":" + bytes + ","), out.toString());
  }

  @Test
  void onlyReliableConnectionsAreMadeByRdmaCm() {
    assertEquals(2, run("perf send_bw -R -c UC --transport fabric"));
    assertTrue(err.toString().contains("rdma_cm has no UC"), err.toString());
  }

  @Test
  void aPostedListIsSentAsOftenAsItIsPosted() {
    assertEquals(
        0, run("perf send_bw -s 64 -l 50 --warm-up 0 --transport fabric --json"), err.toString());
    assertTrue(out.toString().contains("\"iterations\":1000,"), out.toString());
  }

  @EnabledOnOs(OS.LINUX)
  @ParameterizedTest
  @CsvSource({
    "auto, send_bw -s 5000 -n 200, 1000000",
    "auto, write_lat -n 50, 200",
    "netty, send_lat -e -n 50, 200",
    "auto, write_lat -R -n 50, 200",
    "auto, send_bw -R -q 3 -s 5000 -n 50, 750000",
    "auto, send_bw -R -c UD -q 3 -s 500 -n 50, 75000",
    "auto, send_lat -R -c UD -q 1 -s 500 -n 50, 50000",
  })
  void twoProcessesMeasureEachOther(String transport, String line, long bytes) {
    int status =
        run(
            "perf --json --verify --no-pin --warm-up 0 -u 20 --patience 60 --bind "
                + ADDRESSES
                + " --transport "
                + transport
                + " "
                + line);
    assertEquals(0, status, err.toString());
    String json = out.toString();
    assertTrue(json.contains("\"verified_bytes\":" + bytes + ","), json);
    for (String member :
        List.of("bw_gbps", "msg_rate", "lat_us", "p50", "p99", "iterations", "seconds", "mtu")) {
      assertTrue(json.contains("\"" + member + "\":"), () -> member + " is not in " + json);
    }
  }

  @EnabledOnOs(OS.LINUX)
  @Test
  void theWarmUpEndsByItselfOnBothSides() {
    String line = "perf --json --no-pin -n 50 -u 20 --warm-up auto --bind " + ADDRESSES;
    assertEquals(0, run(line + " send_lat"), err.toString());
    assertTrue(out.toString().contains("\"iterations\":50,"), out.toString());
  }

  @Test
  void theTextHasTheColumnsOfPerftest() {
    assertEquals(0, run("perf send_lat -n 100 --warm-up 0 --transport fabric"), err.toString());
    List<String> lines = out.toString().lines().toList();
    String heads = lines.get(lines.size() - 3);
    assertTrue(
        heads.matches(" #bytes #iterations +t_min\\[usec].*99.9% percentile\\[usec]"), heads);
    String row = lines.get(lines.size() - 2);
    assertTrue(row.matches(" 2 +100 +(\\d+\\.\\d\\d *){7}"), row);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--transport fabric -n 100000000", "--no-pin -D 60 -u 20 --warm-up 0.1"})
  @EnabledOnOs(OS.LINUX)
  void whoInterruptsIsToldWhatWasDone(String line) {
    PerfOptions options =
        PerfCommand.parse(List.of(("send_bw -s 64 --bind " + ADDRESSES + " " + line).split(" ")));
    Interruption interruption = new Interruption();
    PrintWriter impatient =
        new PrintWriter(err) {
          @Override
          public void flush() {
            // Ends the run at its first line of progress, because a test cannot end the process.
            interruption.request();
          }
        };
    PerfReport report =
        PerfCommand.run(options, said -> {}, new Onlooker(impatient, true, interruption));
    interruption.close();
    assertTrue(report.interrupted());
    assertTrue(report.figures().messages() > 0, report.toString());
    assertTrue(
        report.text(false).stream().anyMatch(text -> text.contains("interrupted")),
        report.text(false).toString());
  }

  @Test
  void aServerThatIsNotThereIsOneClearLine() {
    assertEquals(1, run("perf send_bw 127.0.0.1 -p 1"), out.toString());
    assertEquals(1, err.toString().lines().count(), err.toString());
    assertTrue(err.toString().contains("start the server first"), err.toString());
  }

  private int run(String line) {
    return run(line.split(" "));
  }
}
