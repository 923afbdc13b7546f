package org.roce4j.wire.view;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.roce4j.wire.inspect.CaptureInspector;
import org.roce4j.wire.inspect.FlowPosition;
import org.roce4j.wire.inspect.PacketFlows;

/**
 * The packets of one capture, or of the captures of both ends, prepared for display. It takes a few
 * hundred bytes of memory per packet; payload is not kept. Immutable.
 */
public final class View {
  /** The captures of both ends. */
  private static final int MOST_FILES = 2;

  private final List<Capture> captures;
  private final List<ViewedPacket> packets;
  private final List<CapturedConnection> connections;
  private final List<EndEvent> events;
  private final List<String> notes;
  private final Map<ConnectionEnd, List<Handshakes.Told>> handshakes;

  private View(List<Capture> captures, List<ViewedPacket> packets, List<String> notes) {
    this(captures, packets, List.of(), notes);
  }

  private View(
      List<Capture> captures,
      List<ViewedPacket> packets,
      List<EndEvent> events,
      List<String> notes) {
    this.captures = captures;
    this.packets = packets;
    this.events = events;
    this.notes = notes;
    connections = Connections.of(packets).stream().map(this::named).toList();
    handshakes = Handshakes.of(packets);
  }

  /**
   * Names ends that no packet names: if all events at an address are of one queue pair, it is that.
   */
  private CapturedConnection named(CapturedConnection connection) {
    return new CapturedConnection(
        named(connection.left()),
        named(connection.right()),
        connection.service(),
        connection.packets());
  }

  private ConnectionEnd named(ConnectionEnd end) {
    if (end.queuePair() != FlowPosition.NO_QP) {
      return end;
    }
    List<Integer> known =
        events.stream()
            .filter(event -> event.address().equals(end.address()))
            .map(EndEvent::queuePair)
            .distinct()
            .toList();
    return known.size() == 1 ? new ConnectionEnd(end.address(), known.getFirst()) : end;
  }

  /**
   * Reads one capture, or two that were recorded at both ends at the same time.
   *
   * @param notes lines to show above the packets, such as the origin of the capture; may be empty
   * @throws IOException if a file cannot be read or is no capture
   * @throws IllegalArgumentException if there are no files or more than two
   */
  public static View read(List<Path> files, List<String> notes) throws IOException {
    if (files.isEmpty() || files.size() > MOST_FILES) {
      throw new IllegalArgumentException("give one capture, or one of each end");
    }
    List<String> all = new ArrayList<>(notes);
    Capture first = Capture.read(files.getFirst());
    if (files.size() == 1) {
      return new View(List.of(first), first.alone(), List.copyOf(all));
    }
    CaptureJoin.Joined joined = CaptureJoin.join(first, Capture.read(files.getLast()));
    if (joined.clockAheadNs() != 0) {
      all.add(
          String.format(
              Locale.ROOT,
              "The clock of %s is taken to be %.3f us %s: packets would arrive before they are"
                  + " sent",
              joined.far().name(),
              Math.abs(joined.clockAheadNs()) / 1e3,
              joined.clockAheadNs() > 0 ? "ahead" : "behind"));
    }
    if (joined.packets().stream()
        .allMatch(
            packet ->
                packet.arrivedNs() == ViewedPacket.UNKNOWN
                    || packet.sentNs() == ViewedPacket.UNKNOWN)) {
      all.add(
          String.format(
              Locale.ROOT,
              "No packet is in both %s and %s: they are not captures of both ends of the same"
                  + " traffic",
              joined.near().name(),
              joined.far().name()));
    }
    return new View(
        List.of(joined.near(), joined.far()), positioned(joined.packets()), List.copyOf(all));
  }

  /**
   * A view of packets in memory.
   *
   * @param name name of the place of capture, for the title
   * @param packets in the order of {@link SeenPacket#sentNs}
   * @param events in the order in which they happened; may be empty
   * @param notes lines to show above the packets; may be empty
   */
  public static View of(
      String name, List<SeenPacket> packets, List<EndEvent> events, List<String> notes) {
    List<DrawnPacket> frames = new ArrayList<>();
    CaptureInspector.Totals totals =
        CaptureInspector.inspect(
            packets.stream().map(SeenPacket::frame).toList(),
            packet -> frames.add(DrawnPacket.of(packet)));
    frames.replaceAll(frame -> frame.at(frame.timeNs() + totals.startNs()));
    Capture capture = new Capture(name, totals, frames);
    long firstNs = packets.isEmpty() ? 0 : packets.getFirst().sentNs();
    List<ViewedPacket> viewed = new ArrayList<>();
    for (DrawnPacket frame : frames) {
      SeenPacket seen = packets.get((int) frame.order() - 1);
      long arrivedNs =
          seen.arrivedNs() == SeenPacket.NEVER ? ViewedPacket.UNKNOWN : seen.arrivedNs() - firstNs;
      viewed.add(
          new ViewedPacket(frame.number(), frame, seen.sentNs() - firstNs, arrivedNs, seen.fate()));
    }
    return new View(List.of(capture), viewed, List.copyOf(events), List.copyOf(notes));
  }

  /** Marks the joined packets again, because a single capture may lack packets. */
  private static List<ViewedPacket> positioned(List<ViewedPacket> packets) {
    PacketFlows flows = new PacketFlows();
    return packets.stream()
        .map(
            packet ->
                packet.frame().icrc().equals("ok")
                    ? packet.at(flows.position(packet.frame().headers()))
                    : packet)
        .toList();
  }

  /**
   * This view with the requests and completions of the programs. Requests are left out if no packet
   * names their queue pair or if both ends have a queue pair of that number. A note gives the
   * number left out and the possible difference of the clocks.
   */
  public View with(Recording recording) {
    Map<Integer, String> owners = new HashMap<>();
    Set<Integer> twice = new HashSet<>();
    for (CapturedConnection connection : connections) {
      for (ConnectionEnd end : List.of(connection.left(), connection.right())) {
        String known = owners.putIfAbsent(end.queuePair(), end.address());
        if (known != null && !known.equals(end.address())) {
          twice.add(end.queuePair());
        }
      }
    }
    owners.keySet().removeAll(twice);
    long firstNs = firstNs();
    RecordingClock clock = new RecordingClock(recording, connections, packets, firstNs);
    long[] times = packets.stream().mapToLong(packet -> firstNs + packet.timeNs()).toArray();
    RequestGroups groups = new RequestGroups(owners);
    for (Recording.Entry entry : recording.entries()) {
      long atNs = entry.atNs() + clock.shiftNs();
      groups.add(entry, atNs, before(times, atNs));
    }
    List<EndEvent> all = new ArrayList<>(events);
    all.addAll(groups.events());
    all.sort(Comparator.comparingLong(EndEvent::atNs));
    int left = recording.requests().size() - groups.requests();
    List<String> told = new ArrayList<>(notes);
    told.add(
        String.format(
            Locale.ROOT,
            "%s: %,d requests and completions%s%s%s",
            recording.name(),
            groups.requests(),
            groups.states() == 0
                ? ""
                : String.format(Locale.ROOT, ", %,d changes of state", groups.states()),
            clock.note(),
            left == 0
                ? ""
                : String.format(
                    Locale.ROOT, "; %,d of queue pairs that no packet names are left out", left)));
    return new View(captures, packets, List.copyOf(all), List.copyOf(told));
  }

  /** The number of packets before the time. */
  private static int before(long[] times, long atNs) {
    int found = Arrays.binarySearch(times, atNs);
    int place = found < 0 ? -found - 1 : found;
    while (place > 0 && times[place - 1] == atNs) {
      place--;
    }
    return place;
  }

  /** Time 0 of the packets, in nanoseconds since 1970; 0 if there are none. */
  long firstNs() {
    return captures.stream()
        .filter(capture -> !capture.frames().isEmpty())
        .mapToLong(Capture::firstNs)
        .min()
        .orElse(0);
  }

  /** Writes the page: one HTML file that needs no other file and no network. */
  public void writePage(Path file) throws IOException {
    Files.writeString(file, page());
  }

  /** The page as HTML. */
  public String page() {
    return Page.of(this);
  }

  /** Writes the event log, as docs/view.md describes it. */
  public void writeLog(Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      EventLog.write(this, out);
    }
  }

  /**
   * {@code 96 packets, 96 icrc ok, 0 icrc bad, 0 malformed} for each file, followed by what is
   * damaged, cut or foreign, if anything is.
   */
  public List<String> summaries() {
    return captures.stream().map(View::summary).toList();
  }

  private static String summary(Capture capture) {
    CaptureInspector.Totals totals = capture.totals();
    boolean plain = totals.skipped() + totals.truncated() == 0 && totals.damage().isEmpty();
    return capture.name() + ": " + totals.summary() + (plain ? "" : "; " + totals.remarks());
  }

  /** The number of packets. */
  public int size() {
    return packets.size();
  }

  List<Capture> captures() {
    return captures;
  }

  List<ViewedPacket> packets() {
    return packets;
  }

  /** The states of each end that messages of connection managers report. */
  Map<ConnectionEnd, List<Handshakes.Told>> handshakes() {
    return handshakes;
  }

  List<CapturedConnection> connections() {
    return connections;
  }

  List<EndEvent> events() {
    return events;
  }

  List<String> notes() {
    return notes;
  }
}
