package org.roce4j.lab;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.roce4j.wire.view.EndEvent;
import org.roce4j.wire.view.PacketFate;
import org.roce4j.wire.view.SeenPacket;
import org.roce4j.wire.view.View;

/** A session as a ladder: its packets, and beside them the events of both ends. */
final class Drawing {
  private static final Pattern COMPLETION =
      Pattern.compile("(\\w+) \\w+(.*?) (completes|fails: wr_id=\\d+ (\\w+)).*", Pattern.DOTALL);

  /** The address and number of a queue pair. */
  private record End(String address, int number) {}

  private final LabSession session;
  private final Map<String, End> ends = new HashMap<>();
  private final List<EndEvent> events = new ArrayList<>();
  private int sent;

  /** The action that posted last. */
  private int posting;

  private Drawing(LabSession session) {
    this.session = session;
    for (LabState.DeviceState device : session.state().devices()) {
      for (LabState.QueuePairState qp : device.queuePairs()) {
        ends.put(qp.name(), new End(device.address(), qp.window().number()));
      }
    }
  }

  static View of(LabSession session) {
    Drawing drawing = new Drawing(session);
    session.happenings().forEach(drawing::take);
    List<SeenPacket> seen = session.packets().stream().map(Drawing::seen).toList();
    return View.of(session.scenario().title(), seen, drawing.events, List.of());
  }

  private static SeenPacket seen(LabPacket packet) {
    boolean arrived = packet.fate() == LabPacket.Stage.ARRIVED;
    PacketFate fate =
        switch (packet.fate()) {
          case UNDER_WAY -> PacketFate.UNDER_WAY;
          case LOST -> PacketFate.LOST;
          case ARRIVED -> packet.copyOf() == 0 ? PacketFate.DELIVERED : PacketFate.APPEARED;
        };
    String copied = packet.copyOf() == 0 ? "" : "a copy of packet " + packet.copyOf();
    String comment =
        copied.isEmpty() || packet.comment().isEmpty()
            ? copied + packet.comment()
            : copied + "; " + packet.comment();
    long arrivedNs = arrived ? packet.endNs() : SeenPacket.NEVER;
    return new SeenPacket(packet.sentNs(), arrivedNs, fate, packet.bytes(), comment);
  }

  private void take(Happening happening) {
    switch (happening.kind()) {
      case PACKET -> sent = Math.max(sent, Integer.parseInt(happening.who().replaceAll("\\D", "")));
      case ACTION -> {
        String poster = poster(session.scenario().actions().get(happening.action() - 1));
        posting = poster.isEmpty() ? posting : happening.action();
        add(happening, poster, EndEvent.Kind.POSTED, happening.what().replaceFirst(" \\w+", ""));
      }
      case COMPLETION -> completed(happening);
      case STATE -> state(happening);
      case ENGINE, EVENT ->
          add(happening, happening.who(), EndEvent.Kind.STATE, brief(happening.what()));
      case REFUSED -> refused(happening);
    }
  }

  /** Without the reason, which the full text gives. */
  private static String brief(String what) {
    return what.replaceFirst(": .*| \\(\\w+\\)$", "");
  }

  /** Replaces the event of the request posted last, which was refused. */
  private void refused(Happening happening) {
    EndEvent last = events.isEmpty() ? null : events.getLast();
    boolean posted = last != null && last.kind() == EndEvent.Kind.POSTED;
    if (posted && posting == happening.action()) {
      events.removeLast();
      events.add(
          new EndEvent(
              last.atNs(),
              sent,
              last.address(),
              last.queuePair(),
              EndEvent.Kind.FAILED,
              last.text().replaceFirst(" .*", " refused"),
              happening.what()));
    }
  }

  /** The queue pair that an action posts to; empty: none. */
  private static String poster(Action action) {
    return switch (action) {
      case Action.Send a -> a.qp();
      case Action.Write a -> a.qp();
      case Action.Read a -> a.qp();
      case Action.Atomic a -> a.qp();
      case Action.Receive a -> a.qp();
      default -> "";
    };
  }

  private void completed(Happening happening) {
    Matcher words = COMPLETION.matcher(happening.what());
    if (words.matches()) {
      boolean failed = words.group(4) != null;
      EndEvent.Kind kind = failed ? EndEvent.Kind.FAILED : EndEvent.Kind.COMPLETED;
      String text =
          failed ? words.group(1) + " " + words.group(4) : words.group(1) + words.group(2);
      add(happening, happening.who(), kind, text);
    }
  }

  /** Changes of state at one moment are one event. The creation of a queue pair is not an event. */
  private void state(Happening happening) {
    String to = happening.what().replaceFirst("^\\w+ to ", "");
    if (to.equals(happening.what())) {
      return;
    }
    EndEvent last = events.isEmpty() ? null : events.getLast();
    End end = ends.get(happening.who());
    if (last != null
        && last.kind() == EndEvent.Kind.STATE
        && last.queuePair() == end.number()
        && last.atNs() == happening.atNs()
        && last.text().matches("[A-Z, ]+")) {
      events.removeLast();
      to = last.text() + ", " + to;
    }
    add(happening, happening.who(), EndEvent.Kind.STATE, to);
  }

  private void add(Happening happening, String who, EndEvent.Kind kind, String text) {
    End end = ends.get(who);
    if (end != null) {
      events.add(
          new EndEvent(
              happening.atNs(), sent, end.address, end.number, kind, text, happening.what()));
    }
  }
}
