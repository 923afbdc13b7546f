package org.roce4j.engine.responder;

import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.memory.RemoteRange;
import org.roce4j.engine.path.Peer;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Feth;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;

/**
 * The checks of a request that has the expected PSN, in the specification's order (rc-transport 4):
 * opcode sequence, rights of the queue pair, resources, length, key and range. The first failed
 * check decides. Each check is a method with a row for each operation.
 */
final class RequestChecks {
  private final Peer peer;
  private final HeldReceive receive;
  private final AnswerRing answers;
  private final RemoteRange writeRange;

  /** Remote rights of the queue pair, of {@link AccessFlags}. */
  private int accessFlags;

  /** The operation of the message in progress, whose next packet must be MIDDLE or LAST. */
  private OpenMessage message = OpenMessage.NONE;

  /** Bytes written of the current RDMA WRITE. */
  private long written;

  /** The accessor of remote memory; fixed, except for XRC. */
  private Accessor accessor;

  /** The entry for the answer to the READ, atomic, ATOMIC_WRITE or FLUSH that is being checked. */
  private Answer answer;

  RequestChecks(ReceiveSide side, HeldReceive receive, AnswerRing answers) {
    peer = side.peer();
    this.receive = receive;
    this.answers = answers;
    accessor = side.accessor();
    writeRange = new RemoteRange(side.keys(), accessor);
  }

  /** Sets the accessor of remote memory for the following messages. */
  void accessor(Accessor of) {
    accessor = of;
    writeRange.accessor(of);
  }

  /** The accessor of remote memory. */
  Accessor accessor() {
    return accessor;
  }

  /** Whether packets of the current message are missing. */
  boolean underWay() {
    return message != OpenMessage.NONE;
  }

  void accessFlags(int flags) {
    accessFlags = flags;
  }

  /** Forgets the current message. */
  void start() {
    message = OpenMessage.NONE;
  }

  /** The refusal of a request, decided before any of it is executed. */
  RequestRefusal refusal(InboundPacket packet) {
    if (!message.accepts(packet.opcode())) {
      return RequestRefusal.OUT_OF_SEQUENCE;
    }
    if (!permitted(packet)) {
      return RequestRefusal.ACCESS_ERROR;
    }
    RequestRefusal refusal = resources(packet.opcode());
    if (refusal == RequestRefusal.NONE) {
      refusal = length(packet);
    }
    if (refusal == RequestRefusal.NONE && !inRange(packet)) {
      refusal = RequestRefusal.ACCESS_ERROR;
    }
    return refusal;
  }

  /**
   * The reason for a refusal by {@link #refusal}, or by the memory when the request was executed.
   */
  String why(RequestRefusal refusal, InboundPacket packet) {
    return switch (refusal) {
      case ACCESS_ERROR -> {
        if (!permitted(packet)) {
          // This check comes before resources, so there is no answer yet.
          yield RefusedRequest.missingRight(accessFlags, needed(packet));
        }
        boolean write = packet.opcode().operation() == Operation.RDMA_WRITE;
        yield (write ? writeRange : answer.range).why();
      }
      case TOO_LONG -> RefusedRequest.tooLong(receive, packet.payloadLength());
      case LOCAL_PROTECTION -> receive.why();
      case NOT_INVALIDATED ->
          Wording.of(
              "rkey 0x%x is of no type 2 window that is bound on this queue pair",
              packet.invalidateRkey());
      default -> invalid(packet);
    };
  }

  private String invalid(InboundPacket packet) {
    if (!message.accepts(packet.opcode())) {
      return Wording.of(
          "%s cannot come while %s is under way",
          packet.opcode(), message == OpenMessage.NONE ? "no message" : "a " + message);
    }
    if (!lengthLegal(packet)) {
      return Wording.of(
          "%d bytes of payload do not fit the opcode and the path MTU %d here",
          packet.payloadLength(), peer.pathMtu());
    }
    return switch (packet.opcode().operation()) {
      case READ_REQUEST, COMPARE_SWAP, FETCH_ADD, ATOMIC_WRITE, FLUSH ->
          "more READs and atomics than maxDestRdAtomic allows here, or an address that is not a"
              + " multiple of 8, or a length out of range";
      default -> "its packets do not carry as many bytes as the first one announces";
    };
  }

  private boolean permitted(InboundPacket packet) {
    int needed = needed(packet);
    return (accessFlags & needed) == needed;
  }

  private static int needed(InboundPacket packet) {
    return switch (packet.opcode().operation()) {
      case RDMA_WRITE, ATOMIC_WRITE -> AccessFlags.REMOTE_WRITE;
      case READ_REQUEST -> AccessFlags.REMOTE_READ;
      case COMPARE_SWAP, FETCH_ADD -> AccessFlags.REMOTE_ATOMIC;
      case FLUSH -> placementRights(packet.flushPlacement());
      default -> 0;
    };
  }

  /** The rights that a FLUSH needs, one for each placement in {@code placement}. */
  private static int placementRights(int placement) {
    return ((placement & Feth.PLACEMENT_GLOBAL) != 0 ? AccessFlags.FLUSH_GLOBAL : 0)
        | ((placement & Feth.PLACEMENT_PERSISTENT) != 0 ? AccessFlags.FLUSH_PERSISTENT : 0);
  }

  /** Checks for a receive request, or for room to keep the answer (R10). */
  private RequestRefusal resources(Opcode opcode) {
    return switch (opcode.operation()) {
      case SEND -> receiveHeld() ? RequestRefusal.NONE : RequestRefusal.NOT_READY;
      case RDMA_WRITE ->
          !opcode.hasImmediate() || receiveHeld() ? RequestRefusal.NONE : RequestRefusal.NOT_READY;
      case READ_REQUEST, COMPARE_SWAP, FETCH_ADD, ATOMIC_WRITE, FLUSH -> {
        answer = answers.claim();
        if (answer == null) {
          yield RequestRefusal.INVALID_REQUEST;
        }
        answer.range.accessor(accessor);
        yield RequestRefusal.NONE;
      }
      default -> RequestRefusal.UNKNOWN;
    };
  }

  private boolean receiveHeld() {
    return receive.isHeld() || receive.take();
  }

  private RequestRefusal length(InboundPacket packet) {
    boolean legal =
        lengthLegal(packet)
            && switch (packet.opcode().operation()) {
              case RDMA_WRITE -> writeLengthLegal(packet);
              case READ_REQUEST -> packet.rethLength() <= Opcode.MOST_MESSAGE_BYTES;
              case COMPARE_SWAP, FETCH_ADD -> (packet.atomicVa() & 7) == 0;
              case ATOMIC_WRITE -> packet.rethLength() == 8 && (packet.rethVa() & 7) == 0;
              default -> true;
            };
    if (!legal) {
      return RequestRefusal.INVALID_REQUEST;
    }
    boolean fits =
        packet.opcode().operation() != Operation.SEND || receive.fits(packet.payloadLength());
    return fits ? RequestRefusal.NONE : RequestRefusal.TOO_LONG;
  }

  /** Whether the opcode allows this payload and padding. */
  private boolean lengthLegal(InboundPacket packet) {
    return packet.opcode().payloadLegal(packet.payloadLength(), peer.pathMtu())
        && packet.padLegal();
  }

  /** Whether the packets of an RDMA WRITE carry as many bytes as its first packet announces. */
  private boolean writeLengthLegal(InboundPacket packet) {
    long total = writeLength(packet);
    long after = writtenBefore(packet) + packet.payloadLength();
    return total <= Opcode.MOST_MESSAGE_BYTES
        && (packet.opcode().ends() ? after == total : after < total);
  }

  private boolean inRange(InboundPacket packet) {
    return switch (packet.opcode().operation()) {
      case RDMA_WRITE ->
          !packet.opcode().starts() || set(writeRange, packet, AccessFlags.REMOTE_WRITE);
      case READ_REQUEST -> set(answer.range, packet, AccessFlags.REMOTE_READ);
      case COMPARE_SWAP, FETCH_ADD ->
          answer.range.set(packet.atomicRkey(), packet.atomicVa(), 8, AccessFlags.REMOTE_ATOMIC);
      case ATOMIC_WRITE -> set(answer.range, packet, AccessFlags.REMOTE_WRITE);
      case FLUSH ->
          answer.range.setFlush(
              packet.rethRkey(),
              packet.rethVa(),
              packet.rethLength(),
              placementRights(packet.flushPlacement()),
              packet.flushSelectivity() == Feth.SELECT_MR);
      default -> true;
    };
  }

  private static boolean set(RemoteRange range, InboundPacket packet, int right) {
    return range.set(packet.rethRkey(), packet.rethVa(), packet.rethLength(), right);
  }

  // ---- what a checked request is executed with

  /** The destination of an RDMA WRITE. */
  RemoteRange writeRange() {
    return writeRange;
  }

  /** Length of the whole RDMA WRITE, bytes. */
  long writeLength(InboundPacket packet) {
    return packet.opcode().starts() ? packet.rethLength() : writeRange.length();
  }

  /** Bytes of the RDMA WRITE that earlier packets carried. */
  long writtenBefore(InboundPacket packet) {
    return packet.opcode().starts() ? 0 : written;
  }

  /** The entry for the answer, with the checked range. */
  Answer answer() {
    return answer;
  }

  /** A packet of a SEND was executed. */
  void sendTaken(Opcode opcode) {
    message = OpenMessage.after(opcode);
  }

  /** A packet of an RDMA WRITE was executed. */
  void writeTaken(InboundPacket packet) {
    written = writtenBefore(packet) + packet.payloadLength();
    message = OpenMessage.after(packet.opcode());
  }

  /** See {@link org.roce4j.engine.queue.Touchable}. */
  long touch() {
    return writeRange.length() + accessFlags;
  }
}
