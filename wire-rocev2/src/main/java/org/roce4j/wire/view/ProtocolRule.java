package org.roce4j.wire.view;

/**
 * A rule of the protocol in one sentence. A packet keeps it, breaks it, or calls for what it says.
 * Its place is a section of {@code docs/specification} and a chapter of the InfiniBand
 * specification, volume 1, or its annex A17 (RoCEv2).
 */
enum ProtocolRule {
  ICRC(
      Place.WIRE,
      "6",
      "A17",
      "The ICRC covers every byte from the IP header to the pad that no router changes; a packet"
          + " with a wrong one is dropped without an answer."),
  ICRC_NOT_CAPTURED(
      Place.WIRE,
      "6",
      "A17",
      "The capture does not hold the whole packet: its ICRC is not judged."),
  WELL_FORMED(
      Place.WIRE,
      "5",
      "9.6",
      "A packet that is too short for its headers, of an unknown opcode or of another transport"
          + " version is dropped without an answer."),
  PAD(
      Place.WIRE,
      "5",
      "9.2",
      "Pad bytes, 0 to 3, make the payload a multiple of four; they are zero when sent."),
  RESERVED_BITS(
      Place.WIRE, "2", "9.2", "Reserved bits are sent as zero and ignored when received."),
  SOLICITED(
      Place.WIRE,
      "2",
      "9.2",
      "The solicited-event bit stands only in the last packet of a SEND or of a WRITE with"
          + " immediate data."),
  NEXT_PSN(
      Place.TRANSPORT,
      "1",
      "9.7.3",
      "Each request packet takes the next PSN; a READ takes as many PSNs as it has responses."),
  FULL_PACKET(
      Place.TRANSPORT,
      "3",
      "9.7.3",
      "The first and middle packets of a message carry exactly the path MTU, and no pad."),
  LAST_NOT_EMPTY(
      Place.TRANSPORT,
      "3",
      "9.7.3",
      "The last packet of a message carries 1 byte to the path MTU."),
  ONLY(
      Place.TRANSPORT,
      "3",
      "9.7.3",
      "A message that fits into one packet, an empty one too, is an ONLY packet."),
  MESSAGE_ORDER(
      Place.TRANSPORT,
      "4",
      "9.7.4",
      "A message begins with FIRST, goes on with MIDDLE and ends with LAST of the same operation;"
          + " anything else is answered by a NAK, invalid request."),
  ACK_REQUESTED(
      Place.TRANSPORT,
      "4.1",
      "9.7.5",
      "A responder acknowledges every request that asks for it; one ACK covers all before it."),
  RETRANSMISSION(
      Place.TRANSPORT,
      "3.1",
      "9.7.6",
      "What a NAK asks for, or what was not acknowledged in time, is sent again with its PSN,"
          + " opcode and data."),
  GAP(
      Place.TRANSPORT,
      "4",
      "9.7.4",
      "A responder that misses packets before this one sends one NAK, PSN sequence error, and drops"
          + " everything until the missing packet comes."),
  LATE(
      Place.TRANSPORT, "4", "9.7.4", "The packet that was missing: the responder goes on from it."),
  LOST(
      Place.TRANSPORT,
      "3.2",
      "9.7.6",
      "Nothing tells the sender of a loss: a sequence NAK does, or the ACK timer, 4.096 us times"
          + " two to the power of timeout."),
  LOST_UNREPAIRED(
      Place.TRANSPORT,
      "7",
      "9.8",
      "An unreliable service repeats nothing: what is lost is lost, and of a UC message all of"
          + " it."),
  ACK(
      Place.TRANSPORT,
      "4.1",
      "9.7.5",
      "An ACK acknowledges all requests up to its PSN, but completes no READ and no atomic; its MSN"
          + " counts the messages completed."),
  DUPLICATE(
      Place.TRANSPORT,
      "4.2",
      "9.7.5",
      "A request that comes again is not executed again: SEND and WRITE are acknowledged again,"
          + " READ and atomics answered again."),
  NAK_SEQUENCE(
      Place.TRANSPORT,
      "3.1",
      "9.7.6",
      "A sequence NAK bears the PSN that the responder expects: all before it is acknowledged, and"
          + " the requester sends again from there."),
  NAK_INVALID(
      Place.TRANSPORT,
      "5",
      "9.9",
      "The responder cannot obey such a request: it completes REM_INV_REQ_ERR, and both queue pairs"
          + " go to ERR."),
  NAK_ACCESS(
      Place.TRANSPORT,
      "5",
      "9.9",
      "R_Key, range or rights do not fit: the request completes REM_ACCESS_ERR, and both queue"
          + " pairs go to ERR."),
  NAK_OPERATIONAL(
      Place.TRANSPORT,
      "5",
      "9.9",
      "The responder has failed by itself: the request completes REM_OP_ERR, and both queue pairs"
          + " go to ERR."),
  SYNDROME(Place.WIRE, "3", "9.3", "The syndrome is a reserved value: the response is bad."),
  RNR(
      Place.TRANSPORT,
      "2.1",
      "9.7.5",
      "No receive is posted: the requester waits at least the time that the syndrome names, then"
          + " sends again from this PSN."),
  READ_RESPONSE(
      Place.TRANSPORT,
      "4.1",
      "9.7.5",
      "The responses of a READ take consecutive PSNs from the request's; first, last and only bear"
          + " an AETH, and acknowledge all SENDs and WRITEs before."),
  RDMA_LENGTH(Place.WIRE, "5", "9.3", "A message has at most 2^31 bytes."),
  ATOMIC_ALIGNED(
      Place.TRANSPORT,
      "6.2",
      "9.4",
      "The address of an atomic is a multiple of 8, its operand 8 bytes."),
  DATAGRAM(
      Place.TRANSPORT,
      "8",
      "9.8",
      "A datagram is one packet that nobody acknowledges; the DETH names its sender, and a Q_Key"
          + " that is not the receiver's has it dropped."),
  UNRELIABLE_CONNECTION(
      Place.TRANSPORT,
      "7",
      "9.8",
      "UC is not acknowledged: after a gap the message is abandoned, and the next FIRST or ONLY"
          + " goes on."),
  CONGESTION_MARK(
      Place.WIRE,
      "8.3",
      "A17",
      "A router has marked congestion (ECN): the destination answers with a notification packet."),
  CNP(
      Place.WIRE,
      "8.4",
      "A17",
      "A congestion notification bears BECN and 16 zero bytes; it asks the queue pair to send more"
          + " slowly, and is not answered.");

  /** A document of {@code docs/specification}. */
  enum Place {
    WIRE("wire-format"),
    TRANSPORT("rc-transport");

    private final String document;

    Place(String document) {
      this.document = document;
    }

    String document() {
      return document;
    }
  }

  private final Place place;
  private final String section;
  private final String chapter;
  private final String sentence;

  ProtocolRule(Place place, String section, String chapter, String sentence) {
    this.place = place;
    this.section = section;
    this.chapter = chapter;
    this.sentence = sentence;
  }

  /** The document of {@code docs/specification}, without its ending. */
  String document() {
    return place.document();
  }

  /** The number of its section in that document. */
  String section() {
    return section;
  }

  /** The chapter of the InfiniBand specification. */
  String chapter() {
    return chapter;
  }

  String sentence() {
    return sentence;
  }
}
