package org.roce4j.wire.view;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.inspect.CaptureInspector;
import org.roce4j.wire.inspect.FlowPosition;
import org.roce4j.wire.inspect.Mark;
import org.roce4j.wire.mad.CmAttribute;
import org.roce4j.wire.mad.RejCode;

/**
 * The view as JSON for the page's script. Packets are columns of values, not objects; the script
 * reads header fields from the headers' bytes. A hundred thousand packets take ten megabytes.
 */
final class PageData {
  private final View view;
  private final Map<String, Object> json = new LinkedHashMap<>();

  private PageData(View view) {
    this.view = view;
  }

  static String json(View view) {
    PageData data = new PageData(view);
    data.json.put("notes", view.notes());
    data.json.put("files", view.captures().stream().map(PageData::file).toList());
    data.json.put("marks", Arrays.stream(Mark.values()).map(Mark::word).toList());
    data.json.put("fates", Arrays.stream(PacketFate.values()).map(PacketFate::word).toList());
    data.json.put("states", data.states());
    data.json.put("headers", layouts(HeaderLayout.all()));
    data.json.put("messages", layouts(HeaderLayout.messages()));
    data.json.put("attributes", attributes());
    data.json.put("reasons", reasons());
    data.json.put("opcodes", data.opcodes());
    data.json.put("syndromes", data.syndromes());
    data.json.put("connections", data.connections());
    data.json.put("events", data.events());
    data.judgements();
    data.columns();
    return JsonText.of(data.json);
  }

  private static Map<String, Object> file(Capture capture) {
    CaptureInspector.Totals totals = capture.totals();
    Map<String, Object> file = new LinkedHashMap<>();
    file.put("name", capture.name());
    file.put("packets", totals.packets());
    file.put("icrcOk", totals.icrcOk());
    file.put("icrcBad", totals.icrcBad());
    file.put("malformed", totals.malformed());
    file.put("truncated", totals.truncated());
    file.put("skippedFrames", totals.skipped());
    file.put("unread", totals.unread());
    file.put("damage", totals.damage());
    return file;
  }

  private List<Object> states() {
    return Arrays.stream(EndState.values())
        .<Object>map(state -> List.of(state.text(), state.meaning()))
        .toList();
  }

  private static Map<String, Object> layouts(Map<String, HeaderLayout> layouts) {
    Map<String, Object> json = new LinkedHashMap<>();
    layouts.forEach(
        (name, layout) ->
            json.put(
                name,
                Map.of(
                    "title",
                    layout.title(),
                    "fields",
                    layout.fields().stream()
                        .map(
                            f ->
                                List.of(
                                    f.key(),
                                    f.name(),
                                    f.firstBit(),
                                    f.bits(),
                                    f.format(),
                                    f.says()))
                        .toList())));
    return json;
  }

  /** The messages of connection managers by attribute id. */
  private static Map<String, Object> attributes() {
    Map<String, Object> names = new LinkedHashMap<>();
    for (CmAttribute attribute : CmAttribute.values()) {
      names.put(Integer.toString(attribute.id()), attribute.name());
    }
    return names;
  }

  private static Map<String, Object> reasons() {
    Map<String, Object> texts = new LinkedHashMap<>();
    for (RejCode reason : RejCode.values()) {
      texts.put(Integer.toString(reason.code()), RejCode.text(reason.code()));
    }
    return texts;
  }

  /** The opcodes that occur, by number: name, transport, text, kind, and headers after the BTH. */
  private Map<String, Object> opcodes() {
    Map<Integer, Object> opcodes = new TreeMap<>();
    for (ViewedPacket packet : view.packets()) {
      RocePacket headers = packet.frame().headers();
      if (headers != null) {
        Opcode opcode = headers.bth().opcode();
        opcodes.computeIfAbsent(opcode.code(), _ -> opcode(opcode, headers));
      }
    }
    Map<String, Object> named = new LinkedHashMap<>();
    opcodes.forEach((code, opcode) -> named.put(code.toString(), opcode));
    return named;
  }

  private static Object opcode(Opcode opcode, RocePacket packet) {
    String text = packet.bth().toString().replaceFirst(" QP 0x.*", "");
    String kind = opcode.request() ? "request" : opcode.response() ? "response" : "notification";
    List<List<Object>> headers =
        opcode.headers().stream().map(h -> List.<Object>of(h.name(), h.size())).toList();
    return List.of(opcode.name(), opcode.transport().name(), text, kind, headers);
  }

  private Map<String, Object> syndromes() {
    Map<String, Object> syndromes = new LinkedHashMap<>();
    for (ViewedPacket packet : view.packets()) {
      int syndrome = Packets.syndrome(packet);
      if (syndrome != Packets.NO_SYNDROME) {
        syndromes.computeIfAbsent(
            Integer.toString(syndrome),
            _ -> new Extension.Acknowledge(syndrome, 0).toString().replace(" MSN 0", ""));
      }
    }
    return syndromes;
  }

  private List<Object> connections() {
    List<Object> connections = new ArrayList<>();
    for (CapturedConnection connection : view.connections()) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("service", connection.service());
      one.put("left", end(connection.left()));
      one.put("right", end(connection.right()));
      one.put("packets", connection.packets().size());
      one.put(
          "states",
          EndStates.of(connection, view).stream()
              .map(c -> List.of(c.left() ? 0 : 1, c.packet(), c.state().ordinal()))
              .toList());
      connections.add(one);
    }
    return connections;
  }

  /**
   * The events: nanoseconds since the first packet, number of packets before, address, queue pair,
   * kind, short and full description.
   */
  private List<Object> events() {
    long firstNs = view.firstNs();
    return view.events().stream()
        .<Object>map(
            e ->
                List.of(
                    e.atNs() - firstNs,
                    e.packetsBefore(),
                    e.address(),
                    e.queuePair(),
                    e.kind().name().toLowerCase(Locale.ROOT),
                    e.text(),
                    e.whole()))
        .toList();
  }

  private static List<Object> end(ConnectionEnd end) {
    return List.of(end.address(), end.queuePair());
  }

  /** Packets with equal judgements share one row of the table. */
  private void judgements() {
    Map<List<RuleJudgement>, Integer> rows = new LinkedHashMap<>();
    MessageOrder order = MessageOrder.of(view.connections(), view.packets());
    List<Integer> rowOf = new ArrayList<>(view.packets().size());
    for (int i = 0; i < view.packets().size(); i++) {
      List<RuleJudgement> row = Judge.of(view.packets().get(i), order.follows(i));
      rowOf.add(rows.computeIfAbsent(row, _ -> rows.size()));
    }
    json.put(
        "rules",
        Arrays.stream(ProtocolRule.values())
            .map(r -> List.of(r.sentence(), r.document(), r.section(), r.chapter()))
            .toList());
    json.put(
        "judgements",
        rows.keySet().stream()
            .map(
                row ->
                    row.stream().map(j -> List.of(j.rule().ordinal(), j.verdict().word())).toList())
            .toList());
    json.put("judged", rowOf);
  }

  private void columns() {
    List<ViewedPacket> packets = view.packets();
    int[] connectionOf = new int[packets.size()];
    boolean[] fromLeft = new boolean[packets.size()];
    for (int c = 0; c < view.connections().size(); c++) {
      CapturedConnection connection = view.connections().get(c);
      for (int index : connection.packets()) {
        connectionOf[index] = c;
        fromLeft[index] = Packets.fromLeft(packets.get(index), connection);
      }
    }
    PsnProgress progress = PsnProgress.of(view.connections(), packets);
    json.put("size", packets.size());
    json.put("connection", Arrays.stream(connectionOf).boxed().toList());
    json.put("time", steps(packets, ViewedPacket::timeNs));
    json.put("psn", packets.stream().map(p -> known(p.position().relativePsn())).toList());
    json.put("oldest", each(packets.size(), i -> known(progress.oldest(i))));
    json.put("next", each(packets.size(), i -> known(progress.next(i))));
    json.put("payload", packets.stream().map(p -> p.frame().payload()).toList());
    json.put("mark", letters(packets, p -> p.position().mark().ordinal()));
    json.put("fate", letters(packets, p -> p.fate().ordinal()));
    json.put(
        "icrc", letters(packets, p -> List.of("ok", "bad", "unknown").indexOf(p.frame().icrc())));
    StringBuilder sides = new StringBuilder();
    for (boolean left : fromLeft) {
      sides.append(left ? '0' : '1');
    }
    json.put("side", sides);
    rare(packets);
    json.put("bytes", bytes(packets));
  }

  /** Values that few packets have, by packet index. */
  private void rare(List<ViewedPacket> packets) {
    Map<Integer, Object> frames = new LinkedHashMap<>();
    Map<Integer, Object> flight = new LinkedHashMap<>();
    Map<Integer, Object> gap = new LinkedHashMap<>();
    Map<Integer, Object> epoch = new LinkedHashMap<>();
    Map<Integer, Object> comment = new LinkedHashMap<>();
    Map<Integer, Object> what = new LinkedHashMap<>();
    Map<Integer, Object> message = new LinkedHashMap<>();
    for (int i = 0; i < packets.size(); i++) {
      ViewedPacket packet = packets.get(i);
      put(frames, i, packet.frames(), Integer.toString(i + 1));
      put(gap, i, packet.position().gap(), 0L);
      put(epoch, i, packet.position().psnEpoch(), 0);
      put(comment, i, packet.frame().comment(), "");
      put(what, i, packet.frame().what(), "");
      put(message, i, packet.frame().message(), "");
      if (packet.sentNs() != ViewedPacket.UNKNOWN && packet.arrivedNs() != ViewedPacket.UNKNOWN) {
        flight.put(i, packet.arrivedNs() - packet.sentNs());
      }
    }
    json.put("frames", frames);
    json.put("flight", flight);
    json.put("gap", gap);
    json.put("epoch", epoch);
    json.put("comment", comment);
    json.put("what", what);
    json.put("message", message);
  }

  private static void put(Map<Integer, Object> column, int index, Object value, Object usual) {
    if (!value.equals(usual)) {
      column.put(index, value);
    }
  }

  private static Long known(long value) {
    return value == FlowPosition.UNKNOWN ? null : (Long) value;
  }

  private static List<Long> each(int size, IntFunction<Long> value) {
    List<Long> all = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      all.add(value.apply(i));
    }
    return all;
  }

  /** The first value, then each difference to the value before. */
  private static List<Long> steps(List<ViewedPacket> packets, ToLongFunction<ViewedPacket> value) {
    List<Long> steps = new ArrayList<>(packets.size());
    long last = 0;
    for (ViewedPacket packet : packets) {
      long now = value.applyAsLong(packet);
      steps.add(now - last);
      last = now;
    }
    return steps;
  }

  private static String letters(List<ViewedPacket> packets, ToLongFunction<ViewedPacket> value) {
    StringBuilder letters = new StringBuilder(packets.size());
    packets.forEach(packet -> letters.append((char) ('0' + value.applyAsLong(packet))));
    return letters.toString();
  }

  /**
   * The headers of all packets, from the IP header on, each packet's followed by its ICRC and by
   * its management datagram, in Base64.
   */
  private static String bytes(List<ViewedPacket> packets) {
    ByteArrayOutputStream all = new ByteArrayOutputStream(packets.size() * 64);
    for (ViewedPacket packet : packets) {
      RocePacket headers = packet.frame().headers();
      if (headers != null) {
        byte[] bytes = headers.emit().toArray();
        all.write(bytes, 0, bytes.length - Icrc.SIZE - headers.pad().length());
        all.write(bytes, bytes.length - Icrc.SIZE, Icrc.SIZE);
        all.writeBytes(packet.frame().mad().toArray());
      }
    }
    return Base64.getEncoder().encodeToString(all.toByteArray());
  }
}
