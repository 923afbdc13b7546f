package org.roce4j.engine.requester;

import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.Psn;
import org.roce4j.wire.Transport;

/**
 * The requester of an unreliable connection (rc-transport 7): a request is complete when its last
 * packet was handed to the port.
 */
public final class UnreliableRequester extends Requester {
  /** The index of the request in progress in the send queue; -1: none. */
  private long index;

  /** Packets sent of the request in progress; 0: it begins. */
  private int number;

  /** The PSN of the next packet. */
  private int psn;

  /** Whether the queue pair drains (SQD): the request in progress is the last one. */
  private boolean held;

  public UnreliableRequester(SendSide side) {
    super(side);
  }

  @Override
  public void start(int firstPsn) {
    abandon();
    psn = firstPsn;
  }

  @Override
  public void hold(boolean hold) {
    held = hold;
  }

  @Override
  public boolean drained() {
    return number == 0;
  }

  @Override
  public int nextPsn() {
    return psn;
  }

  @Override
  void abandon() {
    number = 0;
    index = -1;
  }

  @Override
  public TransmitOutcome transmit(Transmit out) {
    while (queue.head() != queue.end()) {
      if (number == 0 && held) {
        return TransmitOutcome.IDLE;
      }
      int slot = queue.slot(queue.head());
      WrOpcode opcode = queue.opcode(slot);
      WcStatus failure =
          RequestKind.of(opcode) == RequestKind.LOCAL
              ? LocalOperation.run(side, slot)
              : queue.length(slot) > Opcode.MOST_MESSAGE_BYTES ? WcStatus.LOC_LEN_ERR : null;
      if (failure != null && failure != WcStatus.SUCCESS) {
        completions.failHead(
            failure,
            failure == WcStatus.LOC_LEN_ERR
                ? Segmentation.TOO_LONG
                : LocalOperation.why(side, slot));
        return TransmitOutcome.IDLE;
      }
      if (failure == WcStatus.SUCCESS) {
        completions.completeHead(WcStatus.SUCCESS);
        continue;
      }
      if (!sendPacket(out, slot)) {
        return queue.head() == queue.end() ? TransmitOutcome.IDLE : TransmitOutcome.FULL;
      }
    }
    return TransmitOutcome.IDLE;
  }

  private boolean sendPacket(Transmit out, int slot) {
    Path path = peer.path();
    int pathMtu = peer.pathMtu();
    boolean last = number == Segmentation.packets(queue.length(slot), pathMtu) - 1;
    int payload = Segmentation.payload(queue.length(slot), pathMtu, number);
    Opcode opcode = Segmentation.opcode(Transport.UC, queue.opcode(slot), number == 0, last);
    int size = OutboundPacket.size(opcode, payload);
    int at = out.claim(path, peer.sourcePortHint(), size);
    if (at < 0) {
      return false;
    }
    if (index != queue.head()) {
      index = queue.head();
      queue.open(slot, gather);
    }
    int payloadAt = OutboundPacket.payloadAt(opcode, at);
    if (!gatherPayload(slot, (long) number * pathMtu, out, payloadAt, payload)) {
      completions.failHead(WcStatus.LOC_PROT_ERR, gather.why(false));
      return false;
    }
    RequestPacket.putHeaders(out.buffer(), at, opcode, peer, queue, slot, payload, false, psn);
    out.commit(size);
    psn = Psn.add(psn, 1);
    number++;
    if (last) {
      number = 0;
      completions.completeHead(WcStatus.SUCCESS);
    }
    return true;
  }
}
