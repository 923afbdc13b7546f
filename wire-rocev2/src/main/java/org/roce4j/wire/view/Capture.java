package org.roce4j.wire.view;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.wire.inspect.CaptureInspector;

/**
 * The packets of a capture file, without their payload.
 *
 * @param name name of the file, without its directory
 * @param totals as {@code inspect} prints them
 */
record Capture(
    String name,
    CaptureInspector.Totals totals,
    List<DrawnPacket> frames,
    long firstNs,
    long lastNs) {

  Capture(String name, CaptureInspector.Totals totals, List<DrawnPacket> frames) {
    this(
        name,
        totals,
        List.copyOf(frames),
        frames.stream().mapToLong(DrawnPacket::timeNs).min().orElse(0),
        frames.stream().mapToLong(DrawnPacket::timeNs).max().orElse(0));
  }

  static Capture read(Path file) throws IOException {
    List<DrawnPacket> frames = new ArrayList<>();
    CaptureInspector.Totals totals =
        CaptureInspector.inspect(file, packet -> frames.add(DrawnPacket.of(packet)));
    frames.replaceAll(frame -> frame.at(frame.timeNs() + totals.startNs()));
    return new Capture(file.getFileName().toString(), totals, frames);
  }

  /**
   * The packets as this capture alone shows them. A packet is lost if its comment says so; a
   * virtual network writes such comments.
   */
  List<ViewedPacket> alone() {
    return frames.stream()
        .map(
            frame ->
                new ViewedPacket(
                    frame.number(),
                    frame,
                    frame.timeNs() - firstNs,
                    ViewedPacket.UNKNOWN,
                    frame.saysLost() ? PacketFate.LOST : PacketFate.SEEN))
        .toList();
  }

  /** The same capture with every time {@code ns} earlier. */
  Capture earlier(long ns) {
    return new Capture(
        name, totals, frames.stream().map(frame -> frame.at(frame.timeNs() - ns)).toList());
  }

  /** Whether the time lies between the first and the last packet: the capture was running then. */
  boolean covers(long ns) {
    return ns >= firstNs && ns <= lastNs;
  }
}
