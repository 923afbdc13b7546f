package org.roce4j.conformance.dialogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.Ipv6Header;
import org.roce4j.wire.capture.RocePacket;

/**
 * A script's mouth and ears at the far end of a wire. Every packet that comes must be expected, in
 * order and in every bit from BTH to pad; whatever goes otherwise fails with the whole dialogue up
 * to there. Times are nanoseconds since the dialogue began.
 */
public final class Dialogue {
  private final Wire wire;
  private final Probe probe;
  private final long beganNs;
  private final List<String> transcript = new ArrayList<>();

  /** In virtual time, where silence is known without asking. */
  public Dialogue(Wire wire) {
    this(wire, null);
  }

  /**
   * In real time.
   *
   * @param probe what is asked to know that nothing more comes
   */
  public Dialogue(Wire wire, Probe probe) {
    this.wire = wire;
    this.probe = probe;
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

  /** Nanoseconds of the wire's clock since the dialogue began. */
  public long nowNs() {
    return wire.nowNs() - beganNs;
  }

  /** Whether the device is ours, see {@link Wire#everyBit}. */
  public boolean knowsEveryBit() {
    return wire.everyBit();
  }

  /** Sends these packets, one after the other. */
  public void says(PacketDraft... drafts) {
    for (PacketDraft draft : drafts) {
      RocePacket packet = draft.packet(wire.address(), wire.device());
      note("says ", packet.toString());
      wire.send(packet);
    }
  }

  /** Sends a packet whose ICRC is wrong. */
  public void saysDamaged(PacketDraft draft) {
    RocePacket packet = draft.packet(wire.address(), wire.device());
    note("says ", packet + " with a wrong ICRC");
    wire.sendDamaged(packet);
  }

  /** These packets come now, in this order. */
  public void hears(PacketDraft... drafts) {
    for (PacketDraft draft : drafts) {
      hearsBy(wire.nowNs() + wire.patienceNs(), draft);
    }
  }

  /** This packet comes now; congestion notifications before or after it are allowed. */
  public void hearsBesidesCnp(PacketDraft draft) {
    RocePacket packet = hearsSomething();
    while (packet.bth().opcode() == Opcode.CNP) {
      packet = hearsSomething();
    }
    if (!draft.means(packet)) {
      throw failure("expected: " + draft);
    }
  }

  /** Silence until then, and this packet at that very moment (on a virtual wire). */
  public void hearsAt(long ns, PacketDraft draft) {
    if (ns > nowNs()) {
      hearsNothingUntil(ns - 1);
    }
    hearsBy(beganNs + ns + wire.patienceNs(), draft);
  }

  /**
   * This packet comes again at that moment, or up to now and then before it where the device is
   * known to probe for loss, as ours does on a path whose round trip it has measured.
   */
  public void hearsAgainAt(long ns, PacketDraft draft) {
    if (probe != null && wire.everyBit()) {
      repeatsOnlyUntil(ns, draft);
    }
    hearsAt(ns, draft);
  }

  /** Nothing but this packet comes up to that moment. */
  public void repeatsOnlyUntil(long ns, PacketDraft draft) {
    Wire.Heard heard;
    while ((heard = wire.next(beganNs + ns - 1)) != null) {
      noteHeard(heard);
      if (!draft.means(heard.packet())) {
        throw failure("expected nothing but: " + draft);
      }
    }
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
    noteHeard(heard);
    return heard.packet();
  }

  /** Nothing comes now: in real time, nothing before the answers to two questions in a row. */
  public void hearsNothing() {
    if (probe == null) {
      hearsNothingUntil(nowNs());
      return;
    }
    // The second question is asked when the device has dealt with all that came before the first.
    for (int i = 0; i < 2; i++) {
      RocePacket question = probe.question().packet(wire.address(), wire.device());
      wire.send(question);
      Wire.Heard heard = wire.next(wire.nowNs() + wire.patienceNs());
      if (heard == null) {
        throw failure("the device does not answer the probe");
      }
      if (!probe.isAnswer(heard.packet())) {
        noteHeard(heard);
        throw failure("silence was expected");
      }
    }
  }

  /**
   * Lets whatever is still to come come, and forgets it, so that the next dialogue begins in
   * silence; in virtual time there is no next one.
   */
  public void hearsOut() {
    if (probe == null) {
      return;
    }
    for (int i = 0; i < 2; i++) {
      wire.send(probe.question().packet(wire.address(), wire.device()));
      while (!probe.isAnswer(hearsSomething())) {}
    }
  }

  /** Nothing comes up to and including that moment; the clock then stands there. */
  public void hearsNothingUntil(long ns) {
    Wire.Heard heard = wire.next(beganNs + ns);
    if (heard != null) {
      noteHeard(heard);
      throw failure("silence was expected");
    }
  }

  private void hearsBy(long deadlineNs, PacketDraft draft) {
    Wire.Heard heard = wire.next(deadlineNs);
    if (heard == null) {
      throw failure("nothing was heard; expected: " + draft);
    }
    noteHeard(heard);
    boolean expected = wire.everyBit() ? draft.is(heard.packet()) : draft.means(heard.packet());
    if (!expected) {
      throw failure("expected: " + draft + (sameText(draft, heard) ? " (other bytes)" : ""));
    }
  }

  private static boolean sameText(PacketDraft draft, Wire.Heard heard) {
    return heard.packet().toString().startsWith(draft.toString());
  }

  /** Of a foreign device's IPv4 the identification, which the ICRC covers, is not seen. */
  private void noteHeard(Wire.Heard heard) {
    RocePacket packet = heard.packet();
    boolean judged = wire.everyBit() || packet.ip() instanceof Ipv6Header;
    note("hears", judged ? packet.toString() : packet.textWithoutIcrc());
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
