package org.roce4j.benchmarks.table;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A row of the table: one run of {@code roce4j perf}.
 *
 * @param section the section of the row
 * @param series the row's name, and its line in a chart
 * @param x position on that line: bytes or queue pairs
 * @param arguments arguments of the run
 * @param result what the run printed as JSON, or null
 * @param failure why there is no result, or null
 * @param leftOut whether there is no result because the row was not run
 */
record BenchRow(
    Section section,
    String series,
    long x,
    List<String> arguments,
    Map<String, Object> result,
    String failure,
    boolean leftOut) {

  /** The number of cells after name and x. */
  static final int CELLS = 4;

  private static final String DROPS = "rcvbuf_errors";

  /** A section of the table. */
  enum Section {
    THROUGHPUT("Throughput by message size, RC", "Gb/s", "bytes"),
    RATE("Rate of small messages, RC", "Mmsg/s", "bytes"),
    LATENCY("Half round trip by message size, RC SEND", "us", "bytes"),
    QUEUE_PAIRS("Queue pairs that all send, RC WRITE 4096 bytes", "Gb/s", "queue pairs"),
    LOSS("Random loss, RC WRITE 64 KiB", "Gb/s", "bytes"),
    LIMIT("Beside plain UDP in the same run", "ratio", "bytes");

    private final String title;
    private final String unit;
    private final String axis;

    Section(String title, String unit, String axis) {
      this.title = title;
      this.unit = unit;
      this.axis = axis;
    }

    String title() {
      return title;
    }

    /** The unit of {@link BenchRow#figure}. */
    String unit() {
      return unit;
    }

    /** Default measuring time of a row, s. Rare events such as losses need more time. */
    double seconds(boolean quick) {
      return switch (this) {
        case LOSS -> 1.5;
        case LIMIT -> 0.4;
        default -> quick ? 0.3 : 0.8;
      };
    }

    /** Whether the section has a chart of figures over x. */
    boolean isPlotted() {
      return this == THROUGHPUT || this == LATENCY || this == QUEUE_PAIRS;
    }

    /** The headings of {@link BenchRow#cells}. */
    List<String> columns() {
      return List.of(
          unit,
          switch (this) {
            case LATENCY -> "99 %";
            case LIMIT -> "interval";
            default -> "messages";
          },
          "allocated",
          "socket drops");
    }

    /** The meaning of x. */
    String axis() {
      return axis;
    }
  }

  static BenchRow of(Section section, String series, long x, String arguments) {
    return new BenchRow(section, series, x, List.of(arguments.split(" ")), null, null, false);
  }

  /**
   * The row with its result.
   *
   * @param drops datagrams that met a full socket buffer during the run, or -1 if unknown
   */
  BenchRow with(Map<String, Object> measured, long drops) {
    Map<String, Object> all = new LinkedHashMap<>(measured);
    all.put(DROPS, drops);
    return new BenchRow(section, series, x, arguments, all, null, false);
  }

  BenchRow failed(String reason) {
    return new BenchRow(section, series, x, arguments, null, reason, false);
  }

  /** The row without a result, because the time was over. */
  BenchRow notRun() {
    return new BenchRow(
        section, series, x, arguments, null, "left out: two minutes are over", true);
  }

  /** Whether the row was run and gave no result. */
  boolean hasFailed() {
    return failure != null && !leftOut;
  }

  /** The figure in the section's unit; NaN without a result. */
  double figure() {
    if (result == null) {
      return Double.NaN;
    }
    return switch (section) {
      case THROUGHPUT, QUEUE_PAIRS, LOSS -> number(result.get("bw_gbps"));
      case RATE -> number(result.get("msg_rate")) / 1e6;
      case LATENCY -> latency("p50");
      case LIMIT -> twin("ratio");
    };
  }

  /** A latency by its name in the result, us; NaN without one. */
  double latency(String name) {
    return result != null && result.get("lat_us") instanceof Map<?, ?> us
        ? number(us.get(name))
        : Double.NaN;
  }

  /**
   * A value of the comparison with the first plain UDP twin, which does only the necessary work.
   */
  double twin(String name) {
    if (result != null
        && result.get("limit") instanceof Map<?, ?> limit
        && limit.get("twins") instanceof Map<?, ?> twins
        && twins.values().iterator().next() instanceof Map<?, ?> first) {
      return number(first.get(name));
    }
    return Double.NaN;
  }

  /** Bytes that the thread of the data path allocates per packet. */
  double allocated() {
    return result == null ? Double.NaN : number(result.get("allocated_bytes_per_packet"));
  }

  private static double number(Object value) {
    return value instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  /** The cells after name and x. */
  List<String> cells() {
    if (result == null) {
      return List.of(failure == null ? "" : failure);
    }
    String figure = text(figure()) + " " + section.unit();
    String packet = String.format(Locale.ROOT, "%.1f B/packet", allocated());
    long lost = (long) number(result.get(DROPS));
    String drops = lost < 0 ? "" : Long.toString(lost);
    return switch (section) {
      case LATENCY -> List.of(figure, "p99 " + text(latency("p99")) + " us", packet, drops);
      case LIMIT ->
          List.of(
              text(figure()),
              "95 % " + text(twin("low")) + ".." + text(twin("high")),
              packet,
              drops);
      default ->
          List.of(figure, text(number(result.get("msg_rate")) / 1e6) + " Mmsg/s", packet, drops);
    };
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, value < 0.1 ? "%.4f" : value < 100 ? "%.2f" : "%.0f", value);
  }

  /** x as short text. */
  String count() {
    if (section == Section.QUEUE_PAIRS || x < 1024) {
      return Long.toString(x);
    }
    return x >= 1 << 20
        ? Math.round((double) x / (1 << 20)) + " Mi"
        : Math.round(x / 1024.0) + " Ki";
  }

  /** Reads the output of {@link #json}. */
  static BenchRow read(Map<?, ?> json) {
    Map<String, Object> measured = null;
    if (json.get("result") instanceof Map<?, ?> result) {
      measured = new LinkedHashMap<>();
      for (Map.Entry<?, ?> entry : result.entrySet()) {
        measured.put(entry.getKey().toString(), entry.getValue());
      }
    }
    return new BenchRow(
        Section.valueOf(json.get("section").toString().toUpperCase(Locale.ROOT)),
        json.get("series").toString(),
        ((Number) json.get("x")).longValue(),
        List.of(json.get("arguments").toString().split(" ")),
        measured,
        (String) json.get("failure"),
        Boolean.TRUE.equals(json.get("left_out")));
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("section", section.name().toLowerCase(Locale.ROOT));
    json.put("series", series);
    json.put("x", x);
    json.put("arguments", String.join(" ", arguments));
    json.put("figure", figure());
    json.put("unit", section.unit());
    json.put("failure", failure);
    json.put("left_out", leftOut);
    json.put("result", result);
    return json;
  }
}
