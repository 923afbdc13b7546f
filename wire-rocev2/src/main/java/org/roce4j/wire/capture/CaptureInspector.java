package org.roce4j.wire.capture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Judges a capture: a line per RoCEv2 packet, then two lines of totals. Packets of a train that was
 * recorded unsegmented have numbers like {@code 7/0}, {@code 7/1}.
 */
public final class CaptureInspector {
  private final Consumer<String> lines;
  private long frames;
  private long firstNs;
  private long icrcOk;
  private long icrcBad;
  private long malformed;
  private long truncated;
  private long skipped;

  private CaptureInspector(Consumer<String> lines) {
    this.lines = lines;
  }

  /**
   * What a capture held.
   *
   * @param packets RoCEv2 packets: the sum of the following four
   * @param truncated packets that a snap length cut, whose ICRC is neither right nor wrong
   * @param skipped frames that are not UDP to port 4791
   * @param damage what ended the file early, or empty
   */
  public record Totals(
      long packets,
      long icrcOk,
      long icrcBad,
      long malformed,
      long truncated,
      long skipped,
      String damage) {

    /**
     * Whether every packet was whole, well-formed and had the right ICRC, and the file was whole.
     */
    public boolean allRight() {
      return icrcOk == packets && damage.isEmpty();
    }

    /** The line before the last: what the last does not say. */
    public String remarks() {
      return skipped
          + " other frames skipped, "
          + truncated
          + " truncated packets without ICRC to check"
          + (damage.isEmpty() ? "" : "; the file is damaged: " + damage);
    }

    /** {@code N packets, N icrc ok, N icrc bad, N malformed}. */
    public String summary() {
      return packets
          + " packets, "
          + icrcOk
          + " icrc ok, "
          + icrcBad
          + " icrc bad, "
          + malformed
          + " malformed";
    }
  }

  /**
   * Inspects a pcap or pcapng file.
   *
   * @param lines takes each line: the packets, then {@link Totals#remarks}, then {@link
   *     Totals#summary}
   * @throws IOException when the file cannot be read or is no capture
   */
  public static Totals inspect(Path file, Consumer<String> lines) throws IOException {
    try (CaptureReader reader = CaptureReader.open(file)) {
      return inspect(reader, lines);
    }
  }

  /** Inspects what is left in a reader. */
  public static Totals inspect(CaptureReader reader, Consumer<String> lines) throws IOException {
    CaptureInspector inspector = new CaptureInspector(lines);
    for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
      inspector.frame(frame);
    }
    Totals totals = inspector.totals(reader.damage());
    lines.accept(totals.remarks());
    lines.accept(totals.summary());
    return totals;
  }

  private Totals totals(String damage) {
    long packets = icrcOk + icrcBad + malformed + truncated;
    return new Totals(packets, icrcOk, icrcBad, malformed, truncated, skipped, damage);
  }

  private void frame(CapturedFrame frame) {
    if (frames++ == 0) {
      firstNs = frame.timestampNs();
    }
    List<Dissection> found = Dissector.dissect(frame);
    for (int i = 0; i < found.size(); i++) {
      String number = found.size() == 1 ? Long.toString(frames) : frames + "/" + i;
      packet(number, frame.timestampNs() - firstNs, found.get(i));
    }
  }

  private void packet(String number, long timeNs, Dissection found) {
    switch (found) {
      case Dissection.NotRoce _ -> skipped++;
      case Dissection.Malformed bad -> {
        malformed++;
        line(number, timeNs, bad.endpoints(), bad);
      }
      case Dissection.Truncated cut -> {
        truncated++;
        line(number, timeNs, cut.endpoints(), cut);
      }
      case Dissection.Roce roce -> {
        if (roce.packet().icrcRight()) {
          icrcOk++;
        } else {
          icrcBad++;
        }
        line(number, timeNs, roce.packet().endpoints(), roce);
      }
    }
  }

  private void line(String number, long timeNs, String endpoints, Dissection what) {
    lines.accept(String.format("%6s %s %s %s", number, time(timeNs), endpoints, what));
  }

  private static String time(long ns) {
    String sign = ns < 0 ? "-" : "";
    return String.format(
        "%s%d.%09d", sign, Math.abs(ns / 1_000_000_000), Math.abs(ns % 1_000_000_000));
  }
}
