package org.roce4j.port.fault;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.roce4j.options.Quantity;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Transport;

/**
 * What kind of datagram a fault is about. {@link #ANY} and null mean that it does not matter.
 *
 * @param direction null: either
 * @param service of the opcode; null: any
 * @param opcode first byte of BTH, 0..255
 * @param destQp 24 bits
 * @param psn 24 bits
 * @param state null: either
 */
public record FaultMatcher(
    FaultDirection direction,
    Transport service,
    int opcode,
    int destQp,
    int psn,
    PacketState state) {
  /** Any opcode, queue pair or PSN. */
  public static final int ANY = -1;

  /** Every datagram of both directions. */
  public static final FaultMatcher ALL = new FaultMatcher(null, null, ANY, ANY, ANY, null);

  private static final int MOST_24 = 0xFF_FFFF;

  /**
   * @throws org.roce4j.verbs.VerbsException EINVAL for a value out of its range
   */
  public FaultMatcher {
    Quantity.requireRange("opcode", opcode, ANY, 0xFF);
    Quantity.requireRange("qpn", destQp, ANY, MOST_24);
    Quantity.requireRange("psn", psn, ANY, MOST_24);
    if (service != null && opcode != ANY && service(opcode) != service) {
      Opcode known = Opcode.of(opcode);
      throw Quantity.refuse(
          "no datagram has service=%s and opcode=%s: give one of them",
          service, known == null ? Integer.toString(opcode) : known);
    }
  }

  /** What a device sends or what it receives; null: both. */
  public FaultMatcher withDirection(FaultDirection value) {
    return new FaultMatcher(value, service, opcode, destQp, psn, state);
  }

  /** Opcodes of this service; null: all. */
  public FaultMatcher withService(Transport value) {
    return new FaultMatcher(direction, value, opcode, destQp, psn, state);
  }

  /** This opcode. */
  public FaultMatcher withOpcode(Opcode value) {
    return withOpcode(value.code());
  }

  /** The opcode of this code, 0..255, known or not; {@link #ANY}: all. */
  public FaultMatcher withOpcode(int value) {
    return new FaultMatcher(direction, service, value, destQp, psn, state);
  }

  /** To this queue pair number, 24 bits; {@link #ANY}: all. */
  public FaultMatcher withDestQp(int value) {
    return new FaultMatcher(direction, service, opcode, value, psn, state);
  }

  /** Of this PSN, 24 bits; {@link #ANY}: all. */
  public FaultMatcher withPsn(int value) {
    return new FaultMatcher(direction, service, opcode, destQp, value, state);
  }

  /** About datagrams whose PSN is new, or is not. */
  public FaultMatcher withState(PacketState value) {
    return new FaultMatcher(direction, service, opcode, destQp, psn, value);
  }

  /**
   * Whether a datagram is of the kind that is meant.
   *
   * @param state of its PSN; null if no rule asks for it
   */
  public boolean means(
      FaultDirection direction, PacketState state, ByteBuffer buffer, int at, int length) {
    if (this.direction != null && this.direction != direction
        || this.state != null && this.state != state) {
      return false;
    }
    if (length < Bth.SIZE) {
      return service == null && opcode == ANY && destQp == ANY && psn == ANY;
    }
    return (service == null || service == service(Bth.opcode(buffer, at)))
        && (opcode == ANY || opcode == Bth.opcode(buffer, at))
        && (destQp == ANY || destQp == Bth.destQp(buffer, at))
        && (psn == ANY || psn == Bth.psn(buffer, at));
  }

  private static Transport service(int code) {
    Opcode known = Opcode.of(code);
    return known == null ? null : known.transport();
  }

  /** As {@link FaultRule#parse} reads it; empty for {@link #ALL}. */
  @Override
  public String toString() {
    List<String> words = new ArrayList<>();
    if (direction != null) {
      words.add("direction=" + direction.name().toLowerCase(Locale.ROOT));
    }
    if (service != null) {
      words.add("service=" + service.name());
    }
    if (opcode != ANY) {
      Opcode known = Opcode.of(opcode);
      words.add("opcode=" + (known == null ? "0x%02x".formatted(opcode) : known.name()));
    }
    if (destQp != ANY) {
      words.add("qpn=0x%06x".formatted(destQp));
    }
    if (psn != ANY) {
      words.add("psn=" + psn);
    }
    if (state != null) {
      words.add("state=" + state.name().toLowerCase(Locale.ROOT));
    }
    return String.join(" ", words);
  }
}
