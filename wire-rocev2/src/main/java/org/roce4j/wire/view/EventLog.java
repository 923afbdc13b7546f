package org.roce4j.wire.view;

import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.inspect.FlowPosition;
import org.roce4j.wire.inspect.Mark;

/**
 * The events of a view as JSON in the manner of qlog: a trace for each connection, an object for
 * each event. docs/view.md describes it.
 */
final class EventLog {
  private static final String VERSION = "1";

  private final View view;
  private final CapturedConnection connection;
  private final List<Map<String, Object>> events = new ArrayList<>();

  private EventLog(View view, CapturedConnection connection) {
    this.view = view;
    this.connection = connection;
  }

  static void write(View view, Writer out) throws IOException {
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("log_format", "roce4j-events");
    head.put("log_version", VERSION);
    head.put("files", view.captures().stream().map(Capture::name).toList());
    head.put("time_unit", "ns");
    head.put("reference_time_ns", view.firstNs());
    head.put(
        "traces",
        new JsonText.Lines(
            view.connections().stream()
                .map(connection -> new EventLog(view, connection).trace())
                .iterator()));
    JsonText.write(out, head);
    out.write("\n");
  }

  private Map<String, Object> trace() {
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("title", connection.toString());
    head.put("service", connection.service());
    head.put("left", end(true));
    head.put("right", end(false));
    connection.packets().forEach(this::packet);
    EndStates.of(connection, view).forEach(this::state);
    told();
    events.sort((a, b) -> Long.compare((Long) a.get("time"), (Long) b.get("time")));
    head.put("events", new JsonText.Lines(events.iterator()));
    return head;
  }

  private Map<String, Object> end(boolean left) {
    ConnectionEnd end = left ? connection.left() : connection.right();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("address", end.address());
    json.put("qpn", known(end.queuePair()));
    return json;
  }

  private void packet(int index) {
    ViewedPacket packet = view.packets().get(index);
    Map<String, Object> data = data(index, packet);
    if (packet.sentNs() != ViewedPacket.UNKNOWN) {
      String name = packet.arrivedNs() == ViewedPacket.UNKNOWN ? "packet_seen" : "packet_sent";
      event(packet.sentNs(), "wire:" + name, data);
    }
    if (packet.arrivedNs() != ViewedPacket.UNKNOWN) {
      event(packet.arrivedNs(), "wire:packet_arrived", data);
    }
    if (packet.fate() == PacketFate.LOST) {
      event(packet.sentNs(), "wire:packet_lost", data);
    }
  }

  private Map<String, Object> data(int index, ViewedPacket packet) {
    Map<String, Object> data = new LinkedHashMap<>();
    boolean fromLeft = Packets.fromLeft(packet, connection);
    data.put("packet", index + 1);
    data.put("frames", packet.frames());
    data.put("from", fromLeft ? "left" : "right");
    ConnectionEnd sender = fromLeft ? connection.left() : connection.right();
    data.put("sender_qpn", known(sender.queuePair()));
    if (packet.frame().headers() == null) {
      data.put("qpn", null);
      data.put("psn_epoch", 0);
      data.put("what", packet.frame().what());
    } else {
      whole(data, packet);
    }
    if (!packet.frame().comment().isEmpty()) {
      data.put("comment", packet.frame().comment());
    }
    return data;
  }

  private static void whole(Map<String, Object> data, ViewedPacket packet) {
    header(data, packet, packet.frame().headers().bth());
    int syndrome = Packets.syndrome(packet);
    if (syndrome != Packets.NO_SYNDROME) {
      data.put("syndrome", syndrome);
    }
    data.put("payload", packet.frame().payload());
    data.put("icrc", packet.frame().icrc());
    if (packet.position().mark() != Mark.NONE) {
      data.put("mark", packet.position().mark().word());
    }
    if (!packet.frame().message().isEmpty()) {
      data.put("message", packet.frame().message());
    }
  }

  private static void header(Map<String, Object> data, ViewedPacket packet, BaseHeader bth) {
    data.put("opcode", bth.opcode().name());
    data.put("qpn", bth.destQp());
    data.put("psn", bth.psn());
    data.put("psn_epoch", packet.position().psnEpoch());
    if (packet.position().relativePsn() != FlowPosition.UNKNOWN) {
      data.put("relative_psn", packet.position().relativePsn());
    }
    if (bth.ackReq()) {
      data.put("ack_req", true);
    }
  }

  private void state(EndStates.Change change) {
    ViewedPacket packet = view.packets().get(change.packet());
    ConnectionEnd end = change.left() ? connection.left() : connection.right();
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("end", change.left() ? "left" : "right");
    data.put("qpn", known(end.queuePair()));
    data.put("psn_epoch", packet.position().psnEpoch());
    data.put("state", change.state().text());
    data.put("because", change.state().meaning());
    data.put("packet", change.packet() + 1);
    event(toldNs(packet, end), "transport:state_told", data);
  }

  /**
   * The time at which an end learns the content of a packet: when it sends it, or when it arrives.
   */
  private static long toldNs(ViewedPacket packet, ConnectionEnd end) {
    boolean arrives =
        packet.arrivedNs() != ViewedPacket.UNKNOWN
            && !packet.frame().source().equals(end.address());
    return arrives ? packet.arrivedNs() : packet.timeNs();
  }

  /** Adds the events that no packet shows: requests, completions, recorded states. */
  private void told() {
    List<Integer> packets = connection.packets();
    int next = 0;
    for (EndEvent event : view.events()) {
      while (next < packets.size() && packets.get(next) < event.packetsBefore()) {
        next++;
      }
      boolean left = isOf(event, connection.left());
      if (left || isOf(event, connection.right())) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("end", left ? "left" : "right");
        data.put("qpn", known(event.queuePair()));
        data.put("psn_epoch", next == 0 ? 0 : epoch(packets.get(next - 1)));
        data.put("text", event.text());
        data.put("what", event.whole());
        event(event.atNs() - view.firstNs(), name(event.kind()), data);
      }
    }
  }

  private int epoch(int packet) {
    return view.packets().get(packet).position().psnEpoch();
  }

  private static boolean isOf(EndEvent event, ConnectionEnd end) {
    return event.address().equals(end.address())
        && (event.queuePair() == end.queuePair() || end.queuePair() == FlowPosition.NO_QP);
  }

  private static String name(EndEvent.Kind kind) {
    return switch (kind) {
      case POSTED -> "program:request_posted";
      case COMPLETED -> "program:request_completed";
      case FAILED -> "program:request_failed";
      case STATE -> "transport:noted";
    };
  }

  private void event(long timeNs, String name, Map<String, Object> data) {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("time", timeNs);
    event.put("name", name);
    event.put("data", data);
    events.add(event);
  }

  private static Integer known(int queuePair) {
    return queuePair == FlowPosition.NO_QP ? null : (Integer) queuePair;
  }
}
