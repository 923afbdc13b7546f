package org.roce4j.engine.responder;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;

/**
 * The responder of unreliable datagrams (rc-transport 8). The first 40 bytes of each receive buffer
 * are the network header, and the message follows. A datagram that does not fit or match is dropped
 * silently and takes no receive request.
 */
public final class DatagramResponder extends Responder {
  private final NetworkHeader header = new NetworkHeader();

  /** A datagram with another Q_Key is dropped. */
  private int qkey;

  public DatagramResponder(ReceiveSide side, int maxSge) {
    super(side, maxSge);
  }

  @Override
  public void configure(QpAttr attr, int mask) {
    qkey = attr.qkey();
  }

  @Override
  public void start(int expectedPsn) {
    // Datagrams have no sequence.
  }

  @Override
  public int expectedPsn() {
    return 0;
  }

  @Override
  public boolean hasAnswers() {
    return false;
  }

  @Override
  public boolean transmit(Transmit out) {
    return true;
  }

  @Override
  public boolean handleRequest(InboundPacket packet, Inbound inbound) {
    Opcode opcode = packet.opcode();
    int bytes = packet.payloadLength();
    if (packet.qkey() != qkey) {
      drop(Counter.BAD_QKEY, packet);
      return false;
    }
    if (!opcode.payloadLegal(bytes, peer.pathMtu()) || !packet.padLegal()) {
      drop(Counter.MALFORMED, packet);
      return false;
    }
    long room = receive.offered();
    if (room < (long) bytes + NetworkHeader.SIZE) {
      drop(room < 0 ? Counter.OUT_OF_BUFFER : Counter.REQUEST_DROPPED, packet);
      return false;
    }
    receive.take();
    header.write(inbound, packet.length());
    if (!receive.scatter(header.memory(), 0, NetworkHeader.SIZE)
        || !receive.scatter(inbound.memory(), packet.payloadAt(), bytes)) {
      counters.increment(Counter.RESPONDER_PROTECTION_ERROR);
      failQueue(WcStatus.LOC_PROT_ERR, null, receive.why());
      return false;
    }
    complete(packet);
    return true;
  }

  private void complete(InboundPacket packet) {
    long bytes = (long) packet.payloadLength() + NetworkHeader.SIZE;
    long slot = claimCompletion(WcStatus.SUCCESS, WcOpcode.RECV, bytes);
    if (slot == CompletionRing.NONE) {
      return;
    }
    completions.datagram(slot, packet.sourceQp());
    if (packet.opcode().hasImmediate()) {
      completions.immediate(slot, packet.immediate());
    }
    completions.publish(slot, packet.solicited());
  }
}
