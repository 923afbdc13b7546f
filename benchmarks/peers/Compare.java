import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.roce4j.benchmarks.limit.Ratios;

/**
 * Runs {@code ./roce4j perf} and a peer in turn, and prints the median of the ratios with its 95 %
 * interval by bootstrap. Each run of roce4j is compared with the peer's runs before and after it.
 * Run it by {@code compare}.
 */
public final class Compare {
  private static final String BEGIN = "<!-- peers: begin -->";
  private static final String END = "<!-- peers: end -->";
  private static final long PATIENCE_S = 120;

  /** The greatest difference of the peer's figures before and after a run of latency, a share. */
  private static final double STEADY = 0.05;

  private static final String LOSS = "seed=4791; drop direction=out probability=0.1%";

  private static String roce4j;
  private static String twin;

  /** A run that yields one figure. */
  @FunctionalInterface
  private interface Figure {
    double measure() throws IOException, InterruptedException;
  }

  /**
   * A row of the table.
   *
   * @param name name for {@code --only}
   * @param what name for people
   * @param goal wanted ratio; NaN: for information only
   * @param more whether more is better
   * @param ours dividend
   * @param peers divisor
   * @param needs a program without which the row is left out, or null
   */
  private record Row(
      String name,
      String what,
      double goal,
      boolean more,
      Figure ours,
      Figure peers,
      String needs) {}

  private static final Figure STREAM = () -> twin("stream");

  private static List<Row> rows() {
    return Stream.of(toProgramsInC(), postedSingly(), toLibraries(), toItself())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Row> toProgramsInC() {
    return List.of(
        row(
            "write",
            "1 MiB WRITE to C, trains + CRC + copy",
            0.5,
            bandwidth("write_bw -s 1048576 -t 16"),
            STREAM),
        row("write64k", "64 KiB WRITE, same", 0.35, bandwidth("write_bw -s 65536"), STREAM),
        row("read64k", "64 KiB READ, same", 0.35, bandwidth("read_bw -s 65536"), STREAM),
        row("send64k", "64 KiB SEND, same", 0.35, bandwidth("send_bw -s 65536"), STREAM),
        less(
            "spin",
            "64 B SEND half round trip, polling, to C recv spin",
            1.4,
            halfRoundTrip("send_lat -s 64"),
            () -> twin("spin")),
        less(
            "events",
            "64 B SEND half round trip, events, to C blocking",
            1.3,
            halfRoundTrip("send_lat -s 64 -e"),
            () -> twin("block")),
        row(
            "rate",
            "64 B SEND rate from lists of 64, to C sendto",
            2.5,
            () -> perf("send_bw -s 64 -l 64 -t 256", "msg_rate") / 1e6,
            () -> twin("rate")));
  }

  private static List<Row> postedSingly() {
    List<Row> rows = new ArrayList<>();
    for (String test : List.of("write_bw", "send_bw")) {
      String verb = test.equals("write_bw") ? "WRITE" : "SEND";
      rows.add(
          row(
              "single",
              "64 B " + verb + " posted singly, 128 outstanding, to C sendto",
              1.5,
              () -> perf(test + " -s 64", "msg_rate") / 1e6,
              () -> twin("rate")));
    }
    rows.add(
        row(
            "single4k",
            "4 KiB WRITE posted singly, 128 outstanding, to C, trains + CRC + copy",
            0.4,
            bandwidth("write_bw -s 4096"),
            STREAM));
    for (int size : new int[] {64, 4096}) {
      rows.add(
          ucxRow(
              "ucxsmall",
              (size == 64 ? "64 B" : "4 KiB") + " WRITE posted singly, to UCX tcp put",
              2,
              () -> perf("write_bw -s " + size, "msg_rate") * size * 8 / 1e9,
              size));
    }
    return rows;
  }

  private static List<Row> toLibraries() {
    List<Row> rows = new ArrayList<>();
    for (int size : new int[] {65_536, 1 << 20}) {
      String text = size == 65_536 ? "64 KiB" : "1 MiB";
      rows.add(
          new Row(
              "libfabric",
              text + " ping-pong, to libfabric udp;ofi_rxd",
              3,
              true,
              inverse(halfRoundTrip("send_lat -s " + size + " -t 16")),
              inverse(() -> libfabric(size)),
              "fi_pingpong"));
      rows.add(
          ucxRow(
              "ucx",
              text + " WRITE, to UCX tcp put",
              3,
              bandwidth("write_bw -s " + size + (size > 100_000 ? " -t 16" : "")),
              size));
    }
    String limit = "C, trains + CRC + copy, to UCX tcp put of 64 KiB";
    rows.add(ucxRow("limit", limit, Double.NaN, STREAM, 65_536));
    return rows;
  }

  private static List<Row> toItself() {
    List<Row> rows = new ArrayList<>();
    rows.add(
        row(
            "cores",
            "two C programs that send 64 B to themselves, to one",
            Double.NaN,
            () -> twin("both"),
            () -> twin("alone")));
    rows.add(
        row(
            "loss",
            "64 KiB WRITE, 0.1 % loss each way, to none",
            0.7,
            () -> lossy("--faults", LOSS),
            Compare::lossy));
    for (String test : List.of("write_bw", "send_bw", "read_bw")) {
      rows.add(
          less(
              "qps",
              "cost of a packet, 10,000 queue pairs to 1, " + test,
              1.5,
              () -> packetCost(test + " -q 10000 -t 1"),
              () -> packetCost(test + " -q 1 -t 128")));
    }
    return rows;
  }

  private static Row ucxRow(String name, String what, double goal, Figure ours, int size) {
    return new Row(name, what, goal, true, ours, () -> ucx(size), "ucx_perftest");
  }

  private static Row row(String name, String what, double goal, Figure ours, Figure peers) {
    return new Row(name, what, goal, true, ours, peers, null);
  }

  private static Row less(String name, String what, double goal, Figure ours, Figure peers) {
    return new Row(name, what, goal, false, ours, peers, null);
  }

  private static Figure inverse(Figure time) {
    return () -> 1 / time.measure();
  }

  // ---- roce4j

  private static double mostAllocated;

  /** The disturbances of a row's runs. */
  private static long retransmitted;

  private static int troubledRuns;

  private static Figure bandwidth(String run) {
    return () -> perf(run, "bw_gbps");
  }

  private static Figure halfRoundTrip(String run) {
    return () -> perf(run, "p50");
  }

  private static double lossy(String... more) throws IOException, InterruptedException {
    List<String> words = words("write_bw -s 65536 -t 64 -u 14 -D 1.5");
    words.addAll(Arrays.asList(more));
    return number(perf(words), "bw_gbps");
  }

  /** Seconds for a packet sent or received, of a stream of one-packet messages. */
  private static double packetCost(String run) throws IOException, InterruptedException {
    String json = perf(words(run + " -s 64 -Q 1 -D 1"));
    double sent = number(json, "sent_pkts");
    return 1 / (number(json, "msg_rate") * (sent + number(json, "rcvd_pkts")) / sent);
  }

  private static double perf(String run, String key) throws IOException, InterruptedException {
    return number(perf(words(run + " -D 1")), key);
  }

  private static List<String> words(String line) {
    return new ArrayList<>(List.of(line.split(" ")));
  }

  private static String perf(List<String> words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(roce4j, "perf"));
    command.addAll(words);
    command.add("--json");
    String json = output(command);
    mostAllocated = Math.max(mostAllocated, number(json, "allocated_bytes_per_packet"));
    double again = json.contains("\"retransmitted_pkts\"") ? number(json, "retransmitted_pkts") : 0;
    if (again > 0) {
      retransmitted += (long) again;
      troubledRuns++;
    }
    return json;
  }

  // ---- peers

  private static double twin(String what) throws IOException, InterruptedException {
    return Double.parseDouble(output(List.of(twin, what, "0.8")).strip());
  }

  /** Half a round trip, microseconds: the program's usec/xfer. */
  private static double libfabric(int size) throws IOException, InterruptedException {
    List<String> server =
        words(
            "fi_pingpong -p udp;ofi_rxd -e rdm -I " + (size > 100_000 ? 60 : 600) + " -S " + size);
    List<String> client = new ArrayList<>(server);
    client.add("127.0.0.1");
    String[] lines = pair(server, client).strip().split("\\R");
    String[] cells = lines[lines.length - 1].strip().split("\\s+");
    return Double.parseDouble(cells[cells.length - 2]);
  }

  /** Gb/s, of the megabytes (2^20) that it prints. */
  private static double ucx(int size) throws IOException, InterruptedException {
    List<String> server =
        words(
            "env UCX_TLS=tcp,self ucx_perftest -t ucp_put_bw -w 500 -n "
                + (size > 100_000 ? 1000 : 20_000)
                + " -s "
                + size);
    List<String> client = new ArrayList<>(server);
    client.addAll(List.of("-c", "0", "127.0.0.1"));
    server.addAll(List.of("-c", "1"));
    Matcher line = Pattern.compile("Final:(.*)").matcher(pair(server, client));
    if (!line.find()) {
      throw new IOException("ucx_perftest printed no result");
    }
    String[] cells = line.group(1).strip().split("\\s+");
    return Double.parseDouble(cells[cells.length - 3]) * (1 << 20) * 8 / 1e9;
  }

  // ---- processes

  /** The output of a pair's client. */
  private static String pair(List<String> server, List<String> client)
      throws IOException, InterruptedException {
    Process other =
        new ProcessBuilder(server)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      Thread.sleep(500); // it opens its port meanwhile
      return output(client);
    } finally {
      if (!other.waitFor(2, TimeUnit.SECONDS)) {
        other.destroyForcibly().waitFor();
      }
    }
  }

  private static String output(List<String> command) throws IOException, InterruptedException {
    Path file = Files.createTempFile("compare", ".out");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(file.toFile())
              .start();
      boolean ended = process.waitFor(PATIENCE_S, TimeUnit.SECONDS);
      if (!ended) {
        process.destroyForcibly().waitFor();
      }
      String text = Files.readString(file);
      if (!ended || process.exitValue() != 0) {
        throw new IOException(String.join(" ", command) + ": " + text.strip());
      }
      return text;
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private static boolean installed(String program) {
    return Arrays.stream(System.getenv("PATH").split(":"))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }

  private static double number(String json, String key) throws IOException {
    Matcher found = Pattern.compile("\"" + key + "\":(-?[0-9.]+)").matcher(json);
    if (!found.find()) {
      throw new IOException("no " + key + " in " + json);
    }
    return Double.parseDouble(found.group(1));
  }

  // ---- the table

  /**
   * A row's ratios. The caches of a virtual machine may become a third faster or slower from one
   * second to the next. A latency between two different figures of the peer measures that, so it is
   * left out and counted; at most as many are left out as are kept.
   */
  private static Ratios ratios(Row row, int pairs) throws IOException, InterruptedException {
    double[] ratios = new double[pairs];
    retransmitted = 0;
    troubledRuns = 0;
    int leftOut = 0;
    double before = row.peers().measure();
    for (int i = 0; i < pairs; ) {
      double ours = row.ours().measure();
      double after = row.peers().measure();
      boolean steady = row.more() || Math.abs(after - before) <= STEADY * before;
      if (steady || leftOut == pairs) {
        ratios[i++] = 2 * ours / (before + after);
      } else {
        leftOut++;
      }
      before = after;
    }
    System.err.printf(
        "compare: %s: %d packets sent again, in %d of %d runs; %d runs left out%n",
        row.what(), retransmitted, troubledRuns, pairs + leftOut, leftOut);
    return Ratios.of(ratios);
  }

  private static String line(Row row, Ratios ratios) {
    String measured =
        String.format(
            Locale.ROOT,
            "| %s | %.2f | %.2f..%.2f |",
            row.what(),
            ratios.median(),
            ratios.low(),
            ratios.high());
    if (Double.isNaN(row.goal())) {
      return measured + " | |";
    }
    boolean met = row.more() ? ratios.low() >= row.goal() : ratios.high() <= row.goal();
    return String.format(
        Locale.ROOT,
        "%s %s %.2f | %s |",
        measured,
        row.more() ? ">=" : "<=",
        row.goal(),
        met ? "yes" : "no");
  }

  private static void insert(Path file, List<String> table) throws IOException {
    String text = Files.exists(file) ? Files.readString(file) : "";
    String inside = BEGIN + "\n\n" + String.join("\n", table) + "\n\n" + END;
    int begin = text.indexOf(BEGIN);
    int end = text.indexOf(END);
    Files.writeString(
        file,
        begin < 0 || end < begin
            ? text + inside + "\n"
            : text.substring(0, begin) + inside + text.substring(end + END.length()));
  }

  /** Everything, or some rows. */
  public static void main(String[] args) throws IOException, InterruptedException {
    roce4j = args[0];
    twin = args[1];
    int pairs = 7;
    List<Row> rows = rows();
    Path markdown = null;
    for (int i = 2; i < args.length; i++) {
      switch (args[i]) {
        case "--pairs" -> pairs = Integer.parseInt(args[++i]);
        case "--only" -> {
          List<String> only = List.of(args[++i].split(","));
          rows = rows.stream().filter(row -> only.contains(row.name())).toList();
        }
        case "--markdown" -> markdown = Path.of(args[++i]);
        case "--list" -> {
          rows.forEach(row -> System.out.printf("%-10s %s%n", row.name(), row.what()));
          return;
        }
        default -> {
          System.err.println(
              "compare: unknown option " + args[i] + "; see benchmarks/peers/README.md");
          System.exit(2);
        }
      }
    }
    List<String> table = new ArrayList<>();
    boolean complete = measure(rows, pairs, table);
    if (markdown != null) {
      insert(markdown, table);
    }
    System.exit(complete ? 0 : 1);
  }

  /** Prints the table while it grows; returns whether no row failed. */
  private static boolean measure(List<Row> rows, int pairs, List<String> table)
      throws InterruptedException {
    tell(table, "| roce4j, in two processes | ratio | 95 % of the median | wanted | shown |");
    tell(table, "|---|---|---|---|---|");
    boolean complete = true;
    for (Row row : rows) {
      if (row.needs() != null && !installed(row.needs())) {
        tell(table, "| " + row.what() + " | left out: no " + row.needs() + " here | | | |");
        continue;
      }
      try {
        tell(table, line(row, ratios(row, pairs)));
      } catch (IOException e) {
        complete = false;
        System.err.println("compare: " + row.name() + ": " + e.getMessage());
        tell(table, "| " + row.what() + " | failed | | | |");
      }
    }
    tell(
        table,
        String.format(
            Locale.ROOT,
            "| bytes allocated per packet, most of all runs | %.2f | | 0 | %s |",
            mostAllocated,
            mostAllocated < 0.05 ? "yes" : "no"));
    return complete;
  }

  private static void tell(List<String> table, String line) {
    table.add(line);
    System.out.println(line);
  }
}
