package org.roce4j.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.roce4j.wire.capture.RocePacket;

/**
 * A script's mouth and ears at the far end of a wire. Every packet that comes must be expected, in
 * order and in every bit from BTH to pad; whatever goes otherwise fails with the whole dialogue up
 * to there. Times are nanoseconds since the dialogue began.
 */
public final class Dialogue {
  private final Wire wire;
  private final long beganNs;
  private final List<String> transcript = new ArrayList<>();

  public Dialogue(Wire wire) {
    this.wire = wire;
    beganNs = wire.nowNs();
  }

  /** Milliseconds as nanoseconds. */
  public static long ms(double milliseconds) {
    return Math.round(milliseconds * 1e6);
  }

  /** Microseconds as nanoseconds. */
  public static long us(double microseconds) {
    return Math.round(microseconds * 1e3);
  }

  public long nowNs() {
    return wire.nowNs() - beganNs;
  }

  /** Sends these packets, one after the other. */
  public void says(PacketDraft... drafts) {
    for (PacketDraft draft : drafts) {
      RocePacket packet = draft.packet(wire.address(), wire.device());
      note("says ", packet.toString());
      wire.send(packet);
    }
  }

  /** These packets come now, in this order. */
  public void hears(PacketDraft... drafts) {
    for (PacketDraft draft : drafts) {
      hearsBy(wire.nowNs() + wire.patienceNs(), draft);
    }
  }

  /** Silence until then, and this packet at that very moment (on a virtual wire). */
  public void hearsAt(long ns, PacketDraft draft) {
    if (ns > nowNs()) {
      hearsNothingUntil(ns - 1);
    }
    hearsBy(beganNs + ns + wire.patienceNs(), draft);
  }

  /** Any one packet that comes now. */
  public RocePacket hearsSomething() {
    RocePacket packet = hearsIfAny();
    if (packet == null) {
      throw failure("nothing was heard");
    }
    return packet;
  }

  /** The packet that comes now, or null. */
  public RocePacket hearsIfAny() {
    Wire.Heard heard = wire.next(wire.nowNs() + wire.patienceNs());
    if (heard == null) {
      return null;
    }
    note("hears", heard.packet().toString());
    return heard.packet();
  }

  /** Nothing comes now. */
  public void hearsNothing() {
    hearsNothingUntil(nowNs());
  }

  /** Nothing comes up to and including that moment; the clock then stands there. */
  public void hearsNothingUntil(long ns) {
    Wire.Heard heard = wire.next(beganNs + ns);
    if (heard != null) {
      note("hears", heard.packet().toString());
      throw failure("silence was expected");
    }
  }

  private void hearsBy(long deadlineNs, PacketDraft draft) {
    Wire.Heard heard = wire.next(deadlineNs);
    if (heard == null) {
      throw failure("nothing was heard; expected: " + draft);
    }
    note("hears", heard.packet().toString());
    if (!draft.is(heard.packet())) {
      throw failure("expected: " + draft + (sameText(draft, heard) ? " (other bytes)" : ""));
    }
  }

  private static boolean sameText(PacketDraft draft, Wire.Heard heard) {
    return heard.packet().toString().startsWith(draft.toString());
  }

  private void note(String who, String what) {
    transcript.add(String.format(Locale.ROOT, "%12.6f ms %s %s", nowNs() / 1e6, who, what));
  }

  private AssertionError failure(String what) {
    return new AssertionError(
        String.format(Locale.ROOT, "at %.6f ms: %s%n", nowNs() / 1e6, what)
            + String.join(System.lineSeparator(), transcript));
  }
}
