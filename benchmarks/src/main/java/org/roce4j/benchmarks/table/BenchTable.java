package org.roce4j.benchmarks.table;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.roce4j.benchmarks.table.BenchRow.Section;

/** The rows of the table before their runs. */
final class BenchTable {
  private static final String[] STREAMS = {"write_bw", "send_bw", "read_bw"};
  private static final int[] FEW_SIZES = {64, 4096, 65_536, 1 << 20};
  private static final int[] ALL_SIZES = IntStream.rangeClosed(6, 23).map(i -> 1 << i).toArray();
  private static final int[] LISTS = {1, 16, 64};

  /** Small messages per completion when they are posted one by one. */
  private static final int PER_COMPLETION = 64;

  private static final String LOSS = "seed=4791;drop,direction=out,probability=";

  private static final String NO_PROBES = " --set limits.max-probing-qp=0";

  private BenchTable() {}

  /** About 25 rows if {@code quick}, else about 95. */
  static List<BenchRow> rows(boolean quick) {
    List<BenchRow> rows = new ArrayList<>();
    throughput(rows, quick);
    rate(rows, quick);
    latency(rows, quick);
    queuePairs(rows, quick);
    loss(rows);
    if (!quick) {
      limits(rows);
    }
    return rows;
  }

  private static void throughput(List<BenchRow> rows, boolean quick) {
    for (String test : STREAMS) {
      for (int bytes : quick ? FEW_SIZES : ALL_SIZES) {
        // About 16 MiB in flight are enough; more costs memory and gains nothing.
        int depth = Math.clamp((16 << 20) / bytes, 4, 128);
        rows.add(
            BenchRow.of(
                Section.THROUGHPUT,
                test,
                bytes,
                test + " -s " + bytes + " -t " + depth + " -r 256"));
      }
    }
  }

  private static void rate(List<BenchRow> rows, boolean quick) {
    for (String test : List.of("send_bw", "write_bw")) {
      for (int list : quick ? new int[] {64} : LISTS) {
        int completion = list == 1 ? PER_COMPLETION : list;
        rows.add(
            BenchRow.of(
                Section.RATE,
                test + ", lists of " + list,
                64,
                test + " -s 64 -l " + list + " -t 256 -Q " + completion));
      }
    }
  }

  private static void latency(List<BenchRow> rows, boolean quick) {
    int[] sizes =
        quick ? new int[] {2, 4096, 65_536} : new int[] {2, 64, 512, 4096, 16_384, 65_536, 1 << 20};
    for (String mode : List.of("", " -e")) {
      for (int size : sizes) {
        rows.add(
            BenchRow.of(
                Section.LATENCY,
                mode.isEmpty() ? "polling" : "events",
                size,
                "send_lat -s " + size + mode));
      }
    }
  }

  private static void queuePairs(List<BenchRow> rows, boolean quick) {
    for (int count : quick ? new int[] {1, 100, 10_000} : new int[] {1, 10, 100, 1000, 10_000}) {
      int depth = Math.clamp(20_000 / count, 2, 128);
      rows.add(
          BenchRow.of(
              Section.QUEUE_PAIRS,
              "write_bw",
              count,
              "write_bw -s 4096 -Q 1 -q " + count + " -t " + depth));
    }
  }

  private static void loss(List<BenchRow> rows) {
    String run = "write_bw -s 65536 -t 64 -u 14";
    rows.add(BenchRow.of(Section.LOSS, "none", 65_536, run));
    for (String share : List.of("0.1%", "1%")) {
      String lossy = run + " --faults " + LOSS + share;
      rows.add(BenchRow.of(Section.LOSS, share, 65_536, lossy));
      rows.add(BenchRow.of(Section.LOSS, share + ", no loss probes", 65_536, lossy + NO_PROBES));
    }
  }

  private static void limits(List<BenchRow> rows) {
    for (String run :
        List.of(
            "write_bw -s 1048576 -t 16",
            "write_bw -s 65536",
            "read_bw -s 65536",
            "send_bw -s 65536",
            "send_bw -s 64 -l 64 -t 256",
            "send_lat -s 64",
            "send_lat -s 64 -e")) {
      String[] words = run.split(" ");
      String series = words[0] + (run.endsWith("-e") ? ", events" : "");
      rows.add(BenchRow.of(Section.LIMIT, series, Long.parseLong(words[2]), run + " --limit"));
    }
  }
}
