package org.roce4j.conformance.dialogue;

import org.roce4j.wire.Opcode;
import org.roce4j.wire.Psn;
import org.roce4j.wire.capture.Extension;

/**
 * The packets of a datagram queue pair.
 *
 * @param destQp destination queue pair
 * @param sourceQp source queue pair
 * @param firstPsn PSNs are given relative to this one
 */
public record DatagramPackets(int destQp, int sourceQp, int qkey, int firstPsn) {
  /** UD SEND Only. */
  public PacketDraft send(int psn) {
    return send(psn, qkey);
  }

  /** UD SEND Only with another Q_Key. */
  public PacketDraft send(int psn, int key) {
    return new PacketDraft(
        Opcode.UD_SEND_ONLY,
        destQp,
        Psn.add(firstPsn, psn),
        new Extension.Datagram(key, 0, sourceQp));
  }

  /** UD SEND Only with Immediate. */
  public PacketDraft sendImmediate(int psn, int immediate) {
    return new PacketDraft(
        Opcode.UD_SEND_ONLY_WITH_IMMEDIATE,
        destQp,
        Psn.add(firstPsn, psn),
        new Extension.Datagram(qkey, 0, sourceQp),
        new Extension.Immediate(immediate));
  }
}
