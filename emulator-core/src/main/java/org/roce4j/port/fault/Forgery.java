package org.roce4j.port.fault;

import java.nio.ByteBuffer;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Psn;
import org.roce4j.wire.Transport;

/**
 * Forged packets: they precede a datagram that a rule has chosen, to the same queue pair, as if its
 * sender had sent them.
 */
public final class Forgery {
  /** Size of the longest, a CNP, in bytes. */
  public static final int MOST_BYTES = 32;

  private static final int RESERVED_OF_CNP = 16;
  private static final int AETH_BYTES = 4;

  private Forgery() {}

  /**
   * Writes a forged packet, except the ICRC.
   *
   * @param from holds the chosen datagram
   * @param to has room for {@link #MOST_BYTES}
   * @return length in bytes including the ICRC; 0 if the chosen datagram has no BTH to imitate
   */
  public static int write(
      FaultAction action, ByteBuffer from, int at, int length, ByteBuffer to, int toAt) {
    if (length < Bth.SIZE) {
      return 0;
    }
    boolean cnp = action.kind() == FaultAction.Kind.FORGE_CNP;
    Opcode known = Opcode.of(Bth.opcode(from, at));
    boolean xrc = known != null && known.transport() == Transport.XRC;
    Opcode opcode = cnp ? Opcode.CNP : xrc ? Opcode.XRC_ACKNOWLEDGE : Opcode.RC_ACKNOWLEDGE;
    int ahead = action.kind() == FaultAction.Kind.FORGE_ACK ? (int) action.amount() : 0;
    int psn = cnp ? 0 : Psn.add(Bth.psn(from, at), ahead);
    int pkey = Bth.pkey(from, at);
    int destQp = Bth.destQp(from, at);
    Bth.put(to, toAt, opcode.code(), false, 0, pkey, destQp, false, psn);
    Bth.setMigReq(to, toAt);
    int end = toAt + Bth.SIZE;
    if (cnp) {
      Bth.setBecn(to, toAt);
      for (int i = 0; i < RESERVED_OF_CNP; i++) {
        to.put(end++, (byte) 0);
      }
    } else {
      boolean hasAeth = known == opcode && length >= Bth.SIZE + AETH_BYTES;
      Aeth.put(to, end, syndrome(action), hasAeth ? Aeth.msn(from, at + Bth.SIZE) : 0);
      end += AETH_BYTES;
    }
    to.putInt(end, 0);
    return end + FaultInjector.ICRC - toAt;
  }

  private static int syndrome(FaultAction action) {
    return switch (action.kind()) {
      case FORGE_NAK -> Aeth.NAK_SEQUENCE + (int) action.amount();
      case FORGE_RNR -> Aeth.rnrNak((int) action.amount());
      default -> Aeth.ACK;
    };
  }
}
