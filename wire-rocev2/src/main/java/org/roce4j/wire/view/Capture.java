package org.roce4j.wire.view;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.wire.inspect.CaptureInspector;

/**
 * A file that was read.
 *
 * @param name of the file, without its directory
 * @param totals as {@code inspect} prints them
 */
record Capture(
    String name, CaptureInspector.Totals totals, List<Frame> frames, long firstNs, long lastNs) {

  Capture(String name, CaptureInspector.Totals totals, List<Frame> frames) {
    this(
        name,
        totals,
        List.copyOf(frames),
        frames.stream().mapToLong(Frame::timeNs).min().orElse(0),
        frames.stream().mapToLong(Frame::timeNs).max().orElse(0));
  }

  static Capture read(Path file) throws IOException {
    List<Frame> frames = new ArrayList<>();
    CaptureInspector.Totals totals =
        CaptureInspector.inspect(file, packet -> frames.add(Frame.of(packet)));
    frames.replaceAll(frame -> frame.at(frame.timeNs() + totals.startNs()));
    return new Capture(file.getFileName().toString(), totals, frames);
  }

  /**
   * The packets when there is no other capture; the virtual network's comments tell what it lost.
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
                    frame.saysLost() ? Fate.LOST : Fate.SEEN))
        .toList();
  }

  /** The same by a clock that is behind by {@code ns}. */
  Capture earlier(long ns) {
    return new Capture(
        name, totals, frames.stream().map(frame -> frame.at(frame.timeNs() - ns)).toList());
  }

  /** Whether it was running then, so that it would hold a packet. */
  boolean covers(long ns) {
    return ns >= firstNs && ns <= lastNs;
  }
}
