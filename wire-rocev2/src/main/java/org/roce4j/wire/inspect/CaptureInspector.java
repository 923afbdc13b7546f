package org.roce4j.wire.inspect;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.roce4j.wire.capture.CaptureReader;
import org.roce4j.wire.capture.CapturedFrame;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.Dissector;
import org.roce4j.wire.capture.LinkType;

/** Judges a capture: each RoCEv2 packet beside the packets before it, then totals. */
public final class CaptureInspector {
  private final Consumer<InspectedPacket> packets;
  private final PacketFlows flows = new PacketFlows();
  private long frames;
  private long firstNs;
  private long icrcOk;
  private long icrcBad;
  private long malformed;
  private long truncated;
  private long skipped;

  /** Frames of each link type that is not read. */
  private final Map<Integer, Long> unread = new TreeMap<>();

  private CaptureInspector(Consumer<InspectedPacket> packets) {
    this.packets = packets;
  }

  /**
   * What a capture held.
   *
   * @param packets RoCEv2 packets: the sum of the following four
   * @param truncated packets cut by the snap length, whose ICRC cannot be checked
   * @param skipped frames that are not UDP to port 4791
   * @param unread which of them have a link type that is not read, or empty
   * @param damage what ended the file early, or empty
   * @param startNs time of the first frame, in nanoseconds since 1970; 0 when there is none
   */
  public record Totals(
      long packets,
      long icrcOk,
      long icrcBad,
      long malformed,
      long truncated,
      long skipped,
      String unread,
      String damage,
      long startNs) {

    /**
     * Whether every packet was whole, well-formed and had the right ICRC, and the file was whole
     * and of link types that are read.
     */
    public boolean allRight() {
      return icrcOk == packets && unread.isEmpty() && damage.isEmpty();
    }

    /** The line before the summary, with findings that the summary lacks. */
    public String remarks() {
      return skipped
          + " other frames skipped, "
          + truncated
          + " truncated packets without ICRC to check"
          + (unread.isEmpty() ? "" : "; " + unread)
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
   * @param packets receives each packet, in the order of the file
   * @throws IOException when the file cannot be read or is no capture
   */
  public static Totals inspect(Path file, Consumer<InspectedPacket> packets) throws IOException {
    try (CaptureReader reader = CaptureReader.open(file)) {
      return inspect(reader, packets);
    }
  }

  /** Inspects frames in memory. */
  public static Totals inspect(List<CapturedFrame> frames, Consumer<InspectedPacket> packets) {
    CaptureInspector inspector = new CaptureInspector(packets);
    frames.forEach(inspector::frame);
    return inspector.totals("");
  }

  /** Inspects the remaining frames of a reader. */
  public static Totals inspect(CaptureReader reader, Consumer<InspectedPacket> packets)
      throws IOException {
    CaptureInspector inspector = new CaptureInspector(packets);
    for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
      inspector.frame(frame);
    }
    return inspector.totals(reader.damage());
  }

  private Totals totals(String damage) {
    long packets = icrcOk + icrcBad + malformed + truncated;
    return new Totals(
        packets, icrcOk, icrcBad, malformed, truncated, skipped, unread(), damage, firstNs);
  }

  private String unread() {
    return unread.isEmpty()
        ? ""
        : unread.entrySet().stream()
            .map(
                type ->
                    type.getValue()
                        + (type.getValue() == 1 ? " frame of " : " frames of ")
                        + LinkType.text(type.getKey()))
            .collect(
                Collectors.joining(
                    ", ",
                    "",
                    " are not read, only Ethernet, raw IP, loopback and Linux cooked captures"));
  }

  private void frame(CapturedFrame frame) {
    if (frames++ == 0) {
      firstNs = frame.timestampNs();
    }
    if (!LinkType.isRead(frame.linkType())) {
      unread.merge(frame.linkType(), 1L, Long::sum);
    }
    List<Dissection> found = Dissector.dissect(frame);
    for (int i = 0; i < found.size(); i++) {
      String number = found.size() == 1 ? Long.toString(frames) : frames + "/" + i;
      packet(number, frame, found.get(i));
    }
  }

  private void packet(String number, CapturedFrame frame, Dissection found) {
    FlowPosition position = FlowPosition.of(Mark.NONE);
    switch (found) {
      case Dissection.NotRoce _ -> {
        skipped++;
        return;
      }
      case Dissection.Malformed _ -> malformed++;
      case Dissection.Truncated _ -> truncated++;
      case Dissection.Roce roce -> {
        if (roce.packet().icrcRight()) {
          icrcOk++;
          position = flows.position(roce.packet());
        } else {
          icrcBad++;
        }
      }
    }
    long timeNs = frame.timestampNs() - firstNs;
    packets.accept(
        new InspectedPacket(
            number, timeNs, found, position, frame.comment(), frame.interfaceName()));
  }
}
