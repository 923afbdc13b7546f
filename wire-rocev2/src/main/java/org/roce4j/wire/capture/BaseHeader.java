package org.roce4j.wire.capture;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.PKey;

/**
 * A Base Transport Header (BTH) of version 0, bit for bit.
 *
 * @param reserved6 the bits beside FECN and BECN
 * @param reserved7 the bits beside AckReq
 */
public record BaseHeader(
    Opcode opcode,
    boolean solicited,
    boolean migReq,
    int padCount,
    int pkey,
    boolean fecn,
    boolean becn,
    int reserved6,
    int destQp,
    boolean ackReq,
    int reserved7,
    int psn) {

  /** A header with the default P_Key and no flags. */
  public static BaseHeader of(Opcode opcode, int destQp, boolean ackReq, int psn) {
    return new BaseHeader(
        opcode, false, false, 0, PKey.DEFAULT, false, false, 0, destQp, ackReq, 0, psn);
  }

  static BaseHeader parse(ByteBuffer b, int at) {
    return new BaseHeader(
        Opcode.of(Bth.opcode(b, at)),
        Bth.solicited(b, at),
        Bth.migReq(b, at),
        Bth.padCount(b, at),
        Bth.pkey(b, at),
        Bth.fecn(b, at),
        Bth.becn(b, at),
        Bth.reserved6(b, at),
        Bth.destQp(b, at),
        Bth.ackReq(b, at),
        Bth.reserved7(b, at),
        Bth.psn(b, at));
  }

  void emit(ByteBuffer b, int at) {
    Bth.put(b, at, opcode.code(), solicited, padCount, pkey, destQp, ackReq, psn);
    if (migReq) {
      Bth.setMigReq(b, at);
    }
    if (fecn) {
      Bth.setFecn(b, at);
    }
    if (becn) {
      Bth.setBecn(b, at);
    }
    b.put(at + Bth.CONGESTION, (byte) (b.get(at + Bth.CONGESTION) | reserved6));
    b.put(at + Bth.ACK_REQ, (byte) (b.get(at + Bth.ACK_REQ) | reserved7));
  }

  BaseHeader withPadCount(int count) {
    return new BaseHeader(
        opcode, solicited, migReq, count, pkey, fecn, becn, reserved6, destQp, ackReq, reserved7,
        psn);
  }

  /** Reads like a dissector: {@code RC SEND First QP 0x000012 PSN 11259375 AckReq}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(OpcodeText.of(opcode));
    text.append(String.format(Locale.ROOT, " QP 0x%06x PSN %d", destQp, psn));
    text.append(ackReq ? " AckReq" : "");
    text.append(solicited ? " SE" : "");
    text.append(migReq ? " M" : "");
    text.append(fecn ? " FECN" : "");
    text.append(becn ? " BECN" : "");
    text.append(pkey == PKey.DEFAULT ? "" : String.format(Locale.ROOT, " P_Key 0x%04x", pkey));
    return text.toString();
  }
}
