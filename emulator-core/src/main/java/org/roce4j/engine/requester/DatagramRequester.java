package org.roce4j.engine.requester;

import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Deth;
import org.roce4j.wire.ImmDt;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.Psn;
import org.roce4j.wire.UdpSourcePort;

/**
 * The requester of unreliable datagrams (rc-transport 8): one packet per message, each with its own
 * destination.
 */
public final class DatagramRequester extends Requester {
  /** A posted Q_Key with this bit set stands for the queue pair's own Q_Key. */
  public static final int PRIVILEGED_QKEY = 1 << 31;

  /** The longest message: the port's MTU, bytes. */
  private final int maxPayload;

  /** The PSN of the next datagram; receivers ignore it. */
  private int psn;

  /** The Q_Key of requests that ask for that of the queue pair. */
  private int qkey;

  /** Whether the queue pair drains (SQD): nothing is sent. */
  private boolean held;

  /**
   * @param maxPayload the port's MTU, bytes
   */
  public DatagramRequester(SendSide side, int maxPayload) {
    super(side);
    this.maxPayload = maxPayload;
  }

  @Override
  public void configure(QpAttr attr, int mask) {
    qkey = attr.qkey();
  }

  @Override
  public void start(int firstPsn) {
    psn = firstPsn;
  }

  @Override
  public void hold(boolean hold) {
    held = hold;
  }

  @Override
  public boolean drained() {
    return true;
  }

  @Override
  public int nextPsn() {
    return psn;
  }

  @Override
  void abandon() {}

  @Override
  public TransmitOutcome transmit(Transmit out) {
    while (!held && queue.head() != queue.end()) {
      int slot = queue.slot(queue.head());
      if (queue.length(slot) > maxPayload) {
        completions.failHead( // R6: nothing is sent
            WcStatus.LOC_LEN_ERR,
            Wording.of("a datagram holds the %d bytes of the port's MTU at most", maxPayload));
        return TransmitOutcome.IDLE;
      }
      int payload = (int) queue.length(slot);
      Opcode opcode =
          queue.opcode(slot) == WrOpcode.SEND_WITH_IMM
              ? Opcode.UD_SEND_ONLY_WITH_IMMEDIATE
              : Opcode.UD_SEND_ONLY;
      int size = OutboundPacket.size(opcode, payload);
      int at = out.claim(queue.path(slot), UdpSourcePort.ofQp(qpNum), size);
      if (at < 0) {
        return TransmitOutcome.FULL;
      }
      queue.open(slot, gather);
      if (!gatherPayload(slot, 0, out, OutboundPacket.payloadAt(opcode, at), payload)) {
        completions.failHead(WcStatus.LOC_PROT_ERR, gather.why(false));
        return TransmitOutcome.IDLE;
      }
      putHeaders(out.buffer(), at, opcode, slot, payload);
      out.commit(size);
      psn = Psn.add(psn, 1);
      completions.completeHead(WcStatus.SUCCESS);
    }
    return TransmitOutcome.IDLE;
  }

  private void putHeaders(ByteBuffer b, int at, Opcode opcode, int slot, int payload) {
    int key = queue.remoteQkey(slot);
    Bth.put(
        b,
        at,
        opcode.code(),
        queue.flag(slot, SendFlags.SOLICITED),
        OutboundPacket.pad(payload),
        peer.pkey(),
        queue.remoteQpn(slot),
        false,
        psn);
    Deth.put(b, at + opcode.dethAt(), (key & PRIVILEGED_QKEY) != 0 ? qkey : key, qpNum);
    if (opcode.hasImmediate()) {
      ImmDt.put(b, at + opcode.immediateAt(), queue.immediate(slot));
    }
    OutboundPacket.zeroPad(b, at, opcode, payload);
  }
}
