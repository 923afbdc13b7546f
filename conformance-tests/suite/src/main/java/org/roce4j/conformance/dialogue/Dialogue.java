package org.roce4j.conformance.dialogue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.Ipv6Header;
import org.roce4j.wire.capture.RocePacket;

/**
 * Sends and expects packets at the far end of a wire. Every packet that arrives must be expected,
 * in order and in every bit from BTH to pad. A deviation fails with the text of the dialogue so
 * far. Times are nanoseconds since the beginning of the dialogue.
 */
public final class Dialogue {
  private final Wire wire;
  private final Probe probe;
  private final long beganNs;
  private final List<String> transcript = new ArrayList<>();

  /** A dialogue in virtual time, where silence needs no probe. */
  public Dialogue(Wire wire) {
    this(wire, null);
  }

  /**
   * A dialogue in real time.
   *
   * @param probe request whose answer shows that no other packet comes
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

  /** Nanoseconds since the beginning of the dialogue, on the wire's clock. */
  public long nowNs() {
    return wire.nowNs() - beganNs;
  }

  /** Whether the device is an emulator of this version, see {@link Wire#everyBit}. */
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

  /** Expects these packets now, in this order. */
  public void hears(PacketDraft... drafts) {
    for (PacketDraft draft : drafts) {
      hearsBy(wire.nowNs() + wire.patienceNs(), draft);
    }
  }

  /** Expects this packet now. Congestion notifications before or after it are allowed. */
  public void hearsBesidesCnp(PacketDraft draft) {
    RocePacket packet = hearsSomething();
    while (packet.bth().opcode() == Opcode.CNP) {
      packet = hearsSomething();
    }
    expect(draft.means(packet), "expected: " + draft);
  }

  /** Expects silence until a time, and this packet exactly then on a virtual wire. */
  public void hearsAt(long ns, PacketDraft draft) {
    if (ns > nowNs()) {
      hearsNothingUntil(ns - 1);
    }
    hearsBy(beganNs + ns + wire.patienceNs(), draft);
  }

  /**
   * Expects a retransmission of this packet at a time, and allows earlier ones if the device is
   * known to probe for loss, as the emulator does on a path whose round trip it has measured.
   */
  public void hearsAgainAt(long ns, PacketDraft draft) {
    if (probe != null && wire.everyBit()) {
      repeatsOnlyUntil(ns, draft);
    }
    hearsAt(ns, draft);
  }

  /** Expects no packet other than this one up to a time. */
  public void repeatsOnlyUntil(long ns, PacketDraft draft) {
    boolean meant = true;
    Wire.Heard heard;
    while (meant && (heard = wire.next(beganNs + ns - 1)) != null) {
      noteHeard(heard);
      meant = draft.means(heard.packet());
    }
    expect(meant, "expected nothing but: " + draft);
  }

  /** Expects one packet now and returns it. */
  public RocePacket hearsSomething() {
    RocePacket packet = hearsIfAny();
    expect(packet != null, "nothing was heard");
    return packet;
  }

  /** The packet that arrives now, or null. */
  public RocePacket hearsIfAny() {
    Wire.Heard heard = wire.next(wire.nowNs() + wire.patienceNs());
    if (heard == null) {
      return null;
    }
    noteHeard(heard);
    return heard.packet();
  }

  /** Expects silence now; in real time, until the answers to two consecutive probes. */
  public void hearsNothing() {
    if (probe == null) {
      hearsNothingUntil(nowNs());
      return;
    }
    // The second probe is sent when the device has handled everything that was sent before the
    // first.
    for (int i = 0; i < 2; i++) {
      RocePacket question = probe.question().packet(wire.address(), wire.device());
      wire.send(question);
      Wire.Heard heard = wire.next(wire.nowNs() + wire.patienceNs());
      expect(heard != null, "the device does not answer the probe");
      boolean silence = probe.isAnswer(heard.packet());
      if (!silence) {
        noteHeard(heard);
      }
      expect(silence, "silence was expected");
    }
  }

  /**
   * Waits for outstanding packets and drops them, so that the next dialogue begins in silence. In
   * virtual time there is no next dialogue.
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

  /** Expects silence up to and including a time, which the clock then shows. */
  public void hearsNothingUntil(long ns) {
    Wire.Heard heard = wire.next(beganNs + ns);
    if (heard != null) {
      noteHeard(heard);
    }
    expect(heard == null, "silence was expected");
  }

  private void hearsBy(long deadlineNs, PacketDraft draft) {
    Wire.Heard heard = wire.next(deadlineNs);
    expect(heard != null, () -> "nothing was heard; expected: " + draft);
    noteHeard(heard);
    boolean expected = wire.everyBit() ? draft.is(heard.packet()) : draft.means(heard.packet());
    expect(expected, () -> "expected: " + draft + (sameText(draft, heard) ? " (other bytes)" : ""));
  }

  private static boolean sameText(PacketDraft draft, Wire.Heard heard) {
    return heard.packet().toString().startsWith(draft.toString());
  }

  /** The ICRC covers the IPv4 identification, which is not known of a foreign device. */
  private void noteHeard(Wire.Heard heard) {
    RocePacket packet = heard.packet();
    boolean judged = wire.everyBit() || packet.ip() instanceof Ipv6Header;
    note("hears", judged ? packet.toString() : packet.textWithoutIcrc());
  }

  private void note(String who, String what) {
    transcript.add(Wording.of("%12.6f ms %s %s", nowNs() / 1e6, who, what));
  }

  private void expect(boolean holds, String otherwise) {
    expect(holds, () -> otherwise);
  }

  private void expect(boolean holds, Supplier<String> otherwise) {
    Expect.that(
        holds,
        () ->
            Wording.of("at %.6f ms: %s%n", nowNs() / 1e6, otherwise.get())
                + String.join(System.lineSeparator(), transcript));
  }
}
