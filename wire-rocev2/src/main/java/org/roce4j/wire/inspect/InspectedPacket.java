package org.roce4j.wire.inspect;

import java.util.Locale;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.mad.Mad;

/**
 * A packet of a capture, with its position, time and comment.
 *
 * @param number the frame's number, from 1; {@code 7/0}, {@code 7/1} in a train that was captured
 *     before segmentation
 * @param timeNs nanoseconds since the first frame of the file
 * @param dissection never {@link Dissection.NotRoce}
 * @param comment the frame's, or empty
 * @param interfaceName of the interface that sent or captured it (in captures of roce4j: the
 *     device); empty if the file does not name it
 */
public record InspectedPacket(
    String number,
    long timeNs,
    Dissection dissection,
    FlowPosition position,
    String comment,
    String interfaceName) {

  /** How a PSN is printed. */
  public enum PsnText {
    /** As carried. */
    ABSOLUTE,
    /** Counted from the first request PSN in the capture. */
    RELATIVE
  }

  /** {@code 10.1.2.3 > 10.1.2.4}. */
  public String endpoints() {
    return switch (dissection) {
      case Dissection.NotRoce _ -> "";
      case Dissection.Malformed bad -> bad.endpoints();
      case Dissection.Truncated cut -> cut.endpoints();
      case Dissection.Roce(RocePacket packet) -> packet.endpoints();
    };
  }

  /** A verdict on the ICRC in one word: {@code ok}, {@code bad}, or {@code unknown}. */
  public String icrc() {
    return dissection instanceof Dissection.Roce(RocePacket packet)
        ? packet.icrcRight() ? "ok" : "bad"
        : "unknown";
  }

  /** The message of a connection manager in a packet to queue pair 1, or null. */
  public Mad mad() {
    if (dissection instanceof Dissection.Roce(RocePacket packet)
        && packet.bth().opcode() == Opcode.UD_SEND_ONLY
        && packet.bth().destQp() == Mad.QPN) {
      return Mad.parse(packet.payload().buffer(), 0, packet.payload().length());
    }
    return null;
  }

  /** One line, as a dissector prints it. */
  public String text(PsnText psnText) {
    String what = dissection.toString();
    if (psnText == PsnText.RELATIVE && position.relativePsn() != FlowPosition.UNKNOWN) {
      what =
          what.replaceFirst(
              " PSN \\d+", String.format(Locale.ROOT, " PSN %+d", position.relativePsn()));
    }
    String seenBy = interfaceName.isEmpty() ? "" : interfaceName + " ";
    String line =
        String.format(Locale.ROOT, "%6s %s %s%s %s", number, time(), seenBy, endpoints(), what);
    Mad mad = mad();
    line += mad == null ? "" : " " + mad.message();
    line += position.mark() == Mark.NONE ? "" : " " + position;
    return comment.isEmpty() ? line : line + " -- " + comment.replaceAll("\\R", "; ");
  }

  /** Seconds with nine decimals. */
  public String time() {
    String sign = timeNs < 0 ? "-" : "";
    return String.format(
        Locale.ROOT,
        "%s%d.%09d",
        sign,
        Math.abs(timeNs / 1_000_000_000),
        Math.abs(timeNs % 1_000_000_000));
  }

  @Override
  public String toString() {
    return text(PsnText.ABSOLUTE);
  }
}
