package org.roce4j.tools.faults;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import org.roce4j.port.fault.Fate;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultInjector;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultRule;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.capture.UdpHeader;
import org.roce4j.wire.inspect.CaptureInspector;
import org.roce4j.wire.inspect.InspectedPacket;
import org.roce4j.wire.inspect.InspectedPacket.PsnText;

/** Applies the rules of a plan to captured packets, each at the time of its capture. */
final class DryRun {
  private final FaultInjector injector;
  private final FaultPlan plan;
  private final List<FaultRule> rules;
  private final PrintWriter out;
  private final Fate fate = new Fate();

  /** Null until a packet was seen. */
  private Gid end;

  /**
   * The clock of a carrier never goes back, but the times of a capture may, if several queues have
   * recorded it; a rule would then ignore datagrams before its beginning.
   */
  private long nowNs;

  private long asked;
  private long others;

  /**
   * @param end null: the sender of the first packet
   */
  DryRun(FaultPlan plan, Gid end, PrintWriter out) {
    injector = new FaultInjector(plan, 0);
    this.plan = plan;
    rules = plan.rules();
    this.end = end;
    this.out = out;
  }

  void run(Path capture) throws IOException {
    CaptureInspector.Totals totals = CaptureInspector.inspect(capture, this::packet);
    for (int i = 0; i < rules.size(); i++) {
      out.printf(
          Locale.ROOT,
          "rule %d (%s): %d of %d packets%s%n",
          i + 1,
          rules.get(i),
          injector.applied(i),
          asked,
          plan.whyNever(i).map(why -> ". " + why).orElse(""));
    }
    if (others > 0) {
      out.printf(
          Locale.ROOT,
          "%d packets were not asked about: cut, malformed or of other devices%n",
          others);
    }
    if (!totals.unread().isEmpty()) {
      out.println(totals.unread());
    }
    if (!totals.damage().isEmpty()) {
      out.println("the file is damaged: " + totals.damage());
    }
  }

  private void packet(InspectedPacket packet) {
    if (!(packet.dissection() instanceof Dissection.Roce(RocePacket whole))) {
      others++;
      return;
    }
    Gid source = Gid.parse(whole.ip().sourceText());
    if (end == null) {
      end = source;
    }
    if (end.equals(source)) {
      ask(packet, whole, FaultDirection.OUT);
    } else if (end.equals(Gid.parse(whole.ip().destinationText()))) {
      ask(packet, whole, FaultDirection.IN);
    } else {
      others++;
    }
  }

  private void ask(InspectedPacket packet, RocePacket whole, FaultDirection direction) {
    asked++;
    long[] before = new long[rules.size()];
    for (int i = 0; i < before.length; i++) {
      before[i] = injector.applied(i);
    }
    int at = whole.ip().size() + UdpHeader.SIZE;
    ByteBuffer bytes = whole.emit().buffer();
    nowNs = Math.max(nowNs, packet.timeNs());
    fate.begin(nowNs);
    injector.decide(direction, bytes, at, bytes.capacity() - at, bytes.capacity(), nowNs, fate);
    StringJoiner hit = new StringJoiner(", ");
    for (int i = 0; i < before.length; i++) {
      if (injector.applied(i) > before[i]) {
        hit.add("rule " + (i + 1) + " (" + rules.get(i).action() + ")");
      }
    }
    if (hit.length() > 0) {
      out.println(packet.text(PsnText.ABSOLUTE) + " <- " + hit);
    }
  }
}
