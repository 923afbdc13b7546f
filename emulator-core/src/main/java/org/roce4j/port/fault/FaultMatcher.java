package org.roce4j.port.fault;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.roce4j.options.Quantity;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Transport;

/**
 * Matches datagrams by their headers. {@link #ANY} and null match every value.
 *
 * @param direction direction; null: both
 * @param service service of the opcode; null: any
 * @param opcode first byte of the BTH, 0..255
 * @param destQp destination queue pair, 24 bits
 * @param psn PSN, 24 bits
 * @param state whether the PSN is new; null: either
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

  /** By their codes. */
  private static final List<Transport> SERVICES = List.of(Transport.values());

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
    if (state == PacketState.REPEATED && opcode != ANY && !SeenPsns.counts(opcode)) {
      throw Quantity.refuse(
          "no datagram has state=repeated and opcode=%s, which has no PSN of its own: give one of"
              + " them",
          Opcode.of(opcode));
    }
  }

  /** This matcher for one direction; null: both. */
  public FaultMatcher withDirection(FaultDirection value) {
    return new FaultMatcher(value, service, opcode, destQp, psn, state);
  }

  /** This matcher for the opcodes of one service; null: all. */
  public FaultMatcher withService(Transport value) {
    return new FaultMatcher(direction, value, opcode, destQp, psn, state);
  }

  /** This matcher for one opcode. */
  public FaultMatcher withOpcode(Opcode value) {
    return withOpcode(value.code());
  }

  /** This matcher for one opcode by its number, 0..255, which may be unknown; {@link #ANY}: all. */
  public FaultMatcher withOpcode(int value) {
    return new FaultMatcher(direction, service, value, destQp, psn, state);
  }

  /** This matcher for datagrams to one queue pair, 24 bits; {@link #ANY}: all. */
  public FaultMatcher withDestQp(int value) {
    return new FaultMatcher(direction, service, opcode, value, psn, state);
  }

  /** This matcher for one PSN, 24 bits; {@link #ANY}: all. */
  public FaultMatcher withPsn(int value) {
    return new FaultMatcher(direction, service, opcode, destQp, value, state);
  }

  /** This matcher for datagrams whose PSN is new or repeated; null: both. */
  public FaultMatcher withState(PacketState value) {
    return new FaultMatcher(direction, service, opcode, destQp, psn, value);
  }

  /** Whether this matches every datagram that another matcher matches. */
  boolean covers(FaultMatcher other) {
    return (direction == null || direction == other.direction)
        && (service == null || service == other.service || service == other.serviceOfOpcode())
        && (opcode == ANY || opcode == other.opcode)
        && (destQp == ANY || destQp == other.destQp)
        && (psn == ANY || psn == other.psn)
        && (state == null || state == other.state);
  }

  /** Null: of any opcode. */
  private Transport serviceOfOpcode() {
    return opcode == ANY ? null : service(opcode);
  }

  /**
   * Whether this matches a datagram.
   *
   * @param state state of its PSN; null if no rule depends on it
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

  /** Of an opcode that is not known too: its upper bits tell. Null: no service has that code. */
  private static Transport service(int code) {
    int upper = code >>> 5;
    return upper < SERVICES.size() ? SERVICES.get(upper) : null;
  }

  /** The text that {@link FaultRule#of} reads; empty for {@link #ALL}. */
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
      words.add("opcode=" + (known == null ? Wording.of("0x%02x", opcode) : known.name()));
    }
    if (destQp != ANY) {
      words.add(Wording.of("qpn=0x%06x", destQp));
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
