package org.roce4j.conformance.dialogue;

import java.util.stream.Stream;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;
import org.roce4j.wire.Psn;
import org.roce4j.wire.Transport;
import org.roce4j.wire.capture.Extension;

/**
 * The packets of one end of a connection (RC, UC or XRC). PSNs are relative to the first one of
 * their direction, so that a script works with any starting PSN.
 *
 * @param destQp destination queue pair
 * @param requestPsn first PSN of this end's requests
 * @param responsePsn first PSN of the other end's requests, which responses repeat
 * @param srqn XRC: the shared receive queue that requests name
 */
public record ConnectedPackets(
    Transport transport, int destQp, int requestPsn, int responsePsn, int srqn) {

  /** The packets of a service whose requests name no shared receive queue. */
  public ConnectedPackets(Transport transport, int destQp, int requestPsn, int responsePsn) {
    this(transport, destQp, requestPsn, responsePsn, 0);
  }

  /** The same end with the opcodes of another service. */
  public ConnectedPackets over(Transport service) {
    return new ConnectedPackets(service, destQp, requestPsn, responsePsn, srqn);
  }

  // ---- requests

  /** SEND Only. */
  public PacketDraft send(int psn) {
    return only(Operation.SEND, psn);
  }

  /** SEND First; its payload is to be one path MTU. */
  public PacketDraft sendFirst(int psn) {
    return request(Operation.SEND, psn, true, false);
  }

  /** SEND Middle; its payload is to be one path MTU. */
  public PacketDraft sendMiddle(int psn) {
    return request(Operation.SEND, psn, false, false);
  }

  /** SEND Last; its payload is to be at least one byte. */
  public PacketDraft sendLast(int psn) {
    return request(Operation.SEND, psn, false, true);
  }

  /** SEND Only with Immediate. */
  public PacketDraft sendImmediate(int psn, int immediate) {
    return only(Operation.SEND, psn, new Extension.Immediate(immediate));
  }

  /** SEND Only with Invalidate. */
  public PacketDraft sendInvalidate(int psn, int rkey) {
    return only(Operation.SEND, psn, new Extension.Invalidate(rkey));
  }

  /** RDMA WRITE Only. */
  public PacketDraft write(int psn, long va, int rkey, long length) {
    return only(Operation.RDMA_WRITE, psn, new Extension.Rdma(va, rkey, length));
  }

  /** RDMA WRITE Only with Immediate. */
  public PacketDraft writeImmediate(int psn, long va, int rkey, long length, int immediate) {
    Extension rdma = new Extension.Rdma(va, rkey, length);
    return only(Operation.RDMA_WRITE, psn, rdma, new Extension.Immediate(immediate));
  }

  /** RDMA WRITE First; {@code length} is that of the whole message. */
  public PacketDraft writeFirst(int psn, long va, int rkey, long length) {
    Extension rdma = new Extension.Rdma(va, rkey, length);
    return request(Operation.RDMA_WRITE, psn, true, false, rdma);
  }

  /** RDMA WRITE Middle; its payload is to be one path MTU. */
  public PacketDraft writeMiddle(int psn) {
    return request(Operation.RDMA_WRITE, psn, false, false);
  }

  /** RDMA WRITE Last; its payload is to be at least one byte. */
  public PacketDraft writeLast(int psn) {
    return request(Operation.RDMA_WRITE, psn, false, true);
  }

  /** RDMA WRITE Last with Immediate. */
  public PacketDraft writeLastImmediate(int psn, int immediate) {
    return request(Operation.RDMA_WRITE, psn, false, true, new Extension.Immediate(immediate));
  }

  /** RDMA READ Request, which always asks for an answer. */
  public PacketDraft read(int psn, long va, int rkey, long length) {
    return only(Operation.READ_REQUEST, psn, new Extension.Rdma(va, rkey, length)).ackReq();
  }

  /** COMPARE_SWAP of eight bytes, which always asks for an answer. */
  public PacketDraft compareSwap(int psn, long va, int rkey, long compare, long swap) {
    Extension atomic = new Extension.Atomic(va, rkey, swap, compare);
    return only(Operation.COMPARE_SWAP, psn, atomic).ackReq();
  }

  /** FETCH_ADD to eight bytes, which always asks for an answer. */
  public PacketDraft fetchAdd(int psn, long va, int rkey, long add) {
    return only(Operation.FETCH_ADD, psn, new Extension.Atomic(va, rkey, add, 0)).ackReq();
  }

  /** ATOMIC WRITE, whose RETH has the given length; a valid one has 8. */
  public PacketDraft atomicWrite(int psn, long va, int rkey, long length) {
    return only(Operation.ATOMIC_WRITE, psn, new Extension.Rdma(va, rkey, length)).ackReq();
  }

  /** FLUSH of a range. */
  public PacketDraft flush(
      int psn, int placement, int selectivity, long va, int rkey, long length) {
    Extension flush = new Extension.Flush(0, selectivity, placement);
    return only(Operation.FLUSH, psn, flush, new Extension.Rdma(va, rkey, length)).ackReq();
  }

  // ---- responses

  /** An ACK of everything up to {@code psn}, without credits. */
  public PacketDraft ack(int psn, int msn) {
    return acknowledge(psn, Aeth.ACK, msn);
  }

  /** The sequence NAK: "I expect this PSN". */
  public PacketDraft sequenceNak(int psn, int msn) {
    return acknowledge(psn, Aeth.NAK_SEQUENCE, msn);
  }

  /** NAK 0x61: the request is illegal. */
  public PacketDraft invalidRequestNak(int psn, int msn) {
    return acknowledge(psn, Aeth.NAK_INVALID_REQUEST, msn);
  }

  /** NAK 0x62: key, range or right is refused. */
  public PacketDraft remoteAccessNak(int psn, int msn) {
    return acknowledge(psn, Aeth.NAK_REMOTE_ACCESS, msn);
  }

  /** NAK 0x63: the responder failed. */
  public PacketDraft remoteOperationalNak(int psn, int msn) {
    return acknowledge(psn, Aeth.NAK_REMOTE_OPERATIONAL, msn);
  }

  /** RNR NAK with a timer code. */
  public PacketDraft rnrNak(int psn, int timerCode, int msn) {
    return acknowledge(psn, Aeth.rnrNak(timerCode), msn);
  }

  /** An ACK, RNR NAK or NAK by its syndrome. */
  public PacketDraft acknowledge(int psn, int syndrome, int msn) {
    return response(
        Operation.ACKNOWLEDGE, true, true, psn, new Extension.Acknowledge(syndrome, msn));
  }

  /** RDMA READ Response First, with an ACK. */
  public PacketDraft readFirst(int psn, int msn) {
    return readAnswer(true, false, psn, new Extension.Acknowledge(Aeth.ACK, msn));
  }

  /** RDMA READ Response Middle, the one without AETH. */
  public PacketDraft readMiddle(int psn) {
    return readAnswer(false, false, psn);
  }

  /** RDMA READ Response Last, with an ACK. */
  public PacketDraft readLast(int psn, int msn) {
    return readAnswer(false, true, psn, new Extension.Acknowledge(Aeth.ACK, msn));
  }

  /** RDMA READ Response Only, with an ACK. */
  public PacketDraft readOnly(int psn, int msn) {
    return readAnswer(true, true, psn, new Extension.Acknowledge(Aeth.ACK, msn));
  }

  private PacketDraft readAnswer(boolean first, boolean last, int psn, Extension... extensions) {
    return response(Operation.READ_RESPONSE, first, last, psn, extensions);
  }

  /** An atomic acknowledgement with the value that the memory held before. */
  public PacketDraft atomicAck(int psn, int msn, long original) {
    return atomicAck(psn, Aeth.ACK, msn, original);
  }

  /** An atomic acknowledgement with a syndrome other than ACK. */
  public PacketDraft atomicAck(int psn, int syndrome, int msn, long original) {
    return response(
        Operation.ATOMIC_ACKNOWLEDGE,
        true,
        true,
        psn,
        new Extension.Acknowledge(syndrome, msn),
        new Extension.AtomicAcknowledge(original));
  }

  // ---- both

  /** A CNP: a packet of the receiver was marked by the network. */
  public PacketDraft congestionNotification() {
    return new PacketDraft(Opcode.CNP, destQp, 0, new Extension.CnpReserved(0, 0)).becn();
  }

  private PacketDraft only(Operation operation, int psn, Extension... extensions) {
    return request(operation, psn, true, true, extensions);
  }

  private PacketDraft request(
      Operation operation, int psn, boolean first, boolean last, Extension... extensions) {
    boolean immediate = Stream.of(extensions).anyMatch(Extension.Immediate.class::isInstance);
    boolean invalidate = Stream.of(extensions).anyMatch(Extension.Invalidate.class::isInstance);
    Opcode opcode = Opcode.of(transport, operation, first, last, immediate, invalidate);
    Extension[] all = opcode.hasXrcEth() ? withReceiver(extensions) : extensions;
    return new PacketDraft(opcode, destQp, Psn.add(requestPsn, psn), all);
  }

  private Extension[] withReceiver(Extension... others) {
    return Stream.concat(Stream.of(new Extension.Xrc(0, srqn)), Stream.of(others))
        .toArray(Extension[]::new);
  }

  private PacketDraft response(
      Operation operation, boolean first, boolean last, int psn, Extension... extensions) {
    // Only RC and XRC have responses; a dialogue of UC uses those of RC.
    Transport answering = transport == Transport.XRC ? Transport.XRC : Transport.RC;
    Opcode opcode = Opcode.of(answering, operation, first, last, false, false);
    return new PacketDraft(opcode, destQp, Psn.add(responsePsn, psn), extensions);
  }
}
