package org.roce4j.wire.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.RocePacket;

class PacketFlowsTest {
  private static final int REQUESTER = 0x11;
  private static final int RESPONDER = 0x22;
  private static final int NEAR = 0x0A000001;
  private static final int FAR = 0x0A000002;
  private static final int OTHER = 0x0A000003;

  private final PacketFlows flows = new PacketFlows();

  @Test
  void whatWasSentBeforeIsARetransmission() {
    assertEquals("+0", send(5));
    assertEquals("+1", send(6));
    assertEquals("+0 [retransmission]", send(5));
    assertEquals("+1 [retransmission]", send(6));
    assertEquals("+2", send(7));
  }

  @Test
  void aMissingPacketIsAGapAndLateWhenItComes() {
    send(5);
    assertEquals("+4 [gap of 3]", send(9));
    assertEquals("+2 [late]", send(7));
    assertEquals("+1 [late]", send(6));
    assertEquals("+3 [late]", send(8));
    assertEquals("+3 [retransmission]", send(8));
    assertEquals("+5", send(10));
  }

  @Test
  void whatStandsBesideAGapIsNoneOfTheMissing() {
    send(5);
    send(8);
    assertEquals("+3 [retransmission]", send(8));
    assertEquals("+0 [retransmission]", send(5));
    assertEquals("+1 [late]", send(6));
    assertEquals("+1 [retransmission]", send(6));
    assertEquals("+2 [late]", send(7));
    assertEquals("+2 [retransmission]", send(7));
  }

  @Test
  void sequenceNumbersWrap() {
    assertEquals("+0", send(0xFF_FFFF));
    assertEquals("+1", send(0));
    assertEquals("+0 [retransmission]", send(0xFF_FFFF));
    assertEquals("+2", send(1));
  }

  @Test
  void aSecondAnswerIsADuplicateAndANakIsNamed() {
    send(5);
    send(6);
    assertEquals("+0", acknowledge(5, Aeth.ACK));
    assertEquals("+1 [rnr]", acknowledge(6, Aeth.rnrNak(3)));
    send(6);
    assertEquals("+1", acknowledge(6, Aeth.ACK));
    assertEquals("+1 [duplicate]", acknowledge(6, Aeth.ACK));
    assertEquals("+2 [nak]", acknowledge(7, Aeth.NAK_SEQUENCE));
  }

  @Test
  void aNakOfWhatWasAcknowledgedIsNamedNevertheless() {
    send(5);
    send(6);
    assertEquals("+1", acknowledge(6, Aeth.ACK));
    assertEquals("+0 [rnr]", acknowledge(5, Aeth.rnrNak(3)));
    assertEquals("+0 [nak]", acknowledge(5, Aeth.NAK_REMOTE_ACCESS));
  }

  /** 3,000 bytes are three responses of a path MTU of 1,024 bytes. */
  @Test
  void theRequestAfterAReadTellsThePathMtu() {
    assertEquals("+0", read(5, 3000));
    assertEquals("+3", read(8, 3000));
    assertEquals("+6", send(11));
    assertEquals("+3 [retransmission]", read(8, 3000));
    assertEquals("+8 [gap of 1]", send(13));
  }

  @Test
  void responsesOfAReadTakeSequenceNumbersToo() {
    assertEquals("+0", read(5, 3000));
    assertEquals("+0", readResponse(5));
    assertEquals("+1", readResponse(6));
    assertEquals("+2", readResponse(7));
    assertEquals("+1 [duplicate]", readResponse(6));
    assertEquals("+3", send(8));
  }

  /** Those of the first two are lost. */
  @Test
  void thePathMtuIsRememberedForTheNextRead() {
    read(5, 3000);
    send(8);
    assertEquals("+4", read(9, 3000));
    assertEquals("+6", readResponse(11));
  }

  @Test
  void aFlowThatIsAnsweredElsewhereIsNotMeant() {
    send(5);
    assertEquals("+0", acknowledge(5, Aeth.ACK));
    position(ours(Opcode.RC_SEND_ONLY, RESPONDER + 1, 5));
    assertEquals("+0", acknowledge(REQUESTER + 1, 5, Aeth.ACK));
    assertEquals("+0 [duplicate]", acknowledge(REQUESTER + 1, 5, Aeth.ACK));
  }

  @Test
  void ofTwoFlowsThatMayBeMeantNeitherIsTaken() {
    send(5);
    position(ours(Opcode.RC_SEND_ONLY, RESPONDER + 1, 5));
    assertEquals("", acknowledge(5, Aeth.ACK));
  }

  /** Queue pairs of several machines have the same numbers. */
  @Test
  void aFlowIsOfItsAddresses() {
    assertEquals("+0", send(5));
    assertEquals("+0", position(between(OTHER, FAR, request(RESPONDER, 105))));
    assertEquals("+0", position(between(NEAR, OTHER, request(RESPONDER, 205))));
    assertEquals("+1", send(6));
    assertEquals("+1", position(between(OTHER, FAR, request(RESPONDER, 106))));
    assertEquals("+1", position(between(NEAR, OTHER, request(RESPONDER, 206))));
  }

  @Test
  void anAnswerIsOfTheRequestsBetweenTheSameAddresses() {
    send(5);
    position(between(OTHER, FAR, request(RESPONDER + 1, 5)));
    position(between(NEAR, OTHER, request(RESPONDER + 2, 5)));
    assertEquals("+0", acknowledge(5, Aeth.ACK));
    assertEquals("+0", position(between(FAR, OTHER, acknowledgement(REQUESTER, 5))));
    assertEquals("+0", position(between(OTHER, NEAR, acknowledgement(REQUESTER, 5))));
  }

  @Test
  void aQueuePairThatIsUsedAgainAnswersItsNewRequests() {
    send(5);
    assertEquals("+0", acknowledge(5, Aeth.ACK));
    position(ours(Opcode.RC_SEND_ONLY, RESPONDER + 1, 1000));
    assertEquals("+0", acknowledge(1000, Aeth.ACK));
  }

  @Test
  void onceBothEndsAreNamedTheSenderIsKnown() {
    RocePacket request = ours(Opcode.RC_SEND_ONLY, RESPONDER, 5);
    assertEquals(FlowPosition.NO_QP, flows.position(request).senderQp());
    RocePacket answer = between(FAR, NEAR, acknowledgement(REQUESTER, 5));
    assertEquals(RESPONDER, flows.position(answer).senderQp());
    assertEquals(REQUESTER, flows.position(request).senderQp());
    assertEquals(REQUESTER, flows.position(ours(Opcode.RC_SEND_ONLY, RESPONDER, 6)).senderQp());
    FlowPosition afterGap = flows.position(ours(Opcode.RC_SEND_ONLY, RESPONDER, 9));
    assertEquals(new FlowPosition(Mark.GAP, 2, 4, 0, REQUESTER), afterGap);
  }

  @Test
  void anAcknowledgementOfWhatWasNotCapturedTakesNoSequenceNumber() {
    send(5);
    assertEquals("+1", acknowledge(6, Aeth.ACK));
    assertEquals("+1", send(6));
  }

  /** A WRITE takes one PSN for each of its own packets. */
  @Test
  void theLengthOfAWriteTakesNoSequenceNumbers() {
    assertEquals("+0", rdma(Opcode.RC_RDMA_WRITE_FIRST, 5, 20_000));
    assertEquals("+1", send(6));
  }

  /** A FLUSH is one packet however much it flushes, and so is its answer. */
  @Test
  void theLengthOfAFlushTakesNoSequenceNumbers() {
    List<Extension> headers =
        List.of(new Extension.Flush(0, 0, 1), new Extension.Rdma(0, 0, 20_000));
    BaseHeader bth = BaseHeader.of(Opcode.RC_FLUSH, RESPONDER, true, 5);
    assertEquals("+0", position(packet(true, bth, headers)));
    assertEquals("+5 [gap of 4]", send(10));
  }

  @Test
  void aReadOfOnePacketTellsNothingOfThePathMtu() {
    read(5, 100);
    send(6);
    read(7, 3000);
    assertEquals("+15 [gap of 12]", send(20));
  }

  @Test
  void whatNoPathMtuExplainsIsAGapAfterARead() {
    read(5, 3000);
    assertEquals("+25 [gap of 24]", send(30));
  }

  @Test
  void datagramsHaveNoFlow() {
    RocePacket datagram =
        packet(
            true,
            BaseHeader.of(Opcode.UD_SEND_ONLY, RESPONDER, false, 9),
            List.of(new Extension.Datagram(1, 0, 2)));
    assertEquals("", position(datagram));
    assertEquals("", position(datagram));
    assertEquals(2, flows.position(datagram).senderQp());
  }

  @Test
  void aCaptureOfForgedPacketsCostsBoundedMemory() {
    for (int i = 0; i < 100_000; i++) {
      position(ours(Opcode.RC_SEND_ONLY, i, 5));
    }
    assertEquals("", position(ours(Opcode.RC_SEND_ONLY, 100_000, 5)));
    for (int i = 0; i < 100_000; i += 2) {
      position(ours(Opcode.RC_SEND_ONLY, 1, 10 + i));
    }
    assertEquals("+5 [retransmission]", position(ours(Opcode.RC_SEND_ONLY, 1, 10)));
    assertEquals("+6 [retransmission]", position(ours(Opcode.RC_SEND_ONLY, 1, 11)), "forgotten");
    assertEquals("+100002 [late]", position(ours(Opcode.RC_SEND_ONLY, 1, 100_007)));
  }

  private String send(int psn) {
    return position(ours(Opcode.RC_SEND_ONLY, RESPONDER, psn));
  }

  private String read(int psn, int bytes) {
    return rdma(Opcode.RC_RDMA_READ_REQUEST, psn, bytes);
  }

  private String rdma(Opcode opcode, int psn, int bytes) {
    return position(
        packet(
            true,
            BaseHeader.of(opcode, RESPONDER, true, psn),
            List.of(new Extension.Rdma(0, 0, bytes))));
  }

  private String readResponse(int psn) {
    return position(
        packet(
            false,
            BaseHeader.of(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, REQUESTER, false, psn),
            List.of()));
  }

  private String acknowledge(int psn, int syndrome) {
    return acknowledge(REQUESTER, psn, syndrome);
  }

  private String acknowledge(int queuePair, int psn, int syndrome) {
    return position(
        packet(
            false,
            BaseHeader.of(Opcode.RC_ACKNOWLEDGE, queuePair, false, psn),
            List.of(new Extension.Acknowledge(syndrome, 0))));
  }

  private static RocePacket ours(Opcode opcode, int queuePair, int psn) {
    return packet(true, BaseHeader.of(opcode, queuePair, false, psn), List.of());
  }

  private String position(RocePacket packet) {
    FlowPosition position = flows.position(packet);
    long relative = position.relativePsn();
    String psn = relative == FlowPosition.UNKNOWN ? "" : "%+d".formatted(relative);
    return (psn + " " + position).strip();
  }

  private static RocePacket packet(boolean forth, BaseHeader bth, List<Extension> extensions) {
    Ipv4Header ip = Ipv4Header.of(forth ? NEAR : FAR, forth ? FAR : NEAR, 0);
    return RocePacket.of(ip, 49152, bth, extensions, Bytes.NONE);
  }

  private static RocePacket between(int from, int to, RocePacket packet) {
    Ipv4Header ip = Ipv4Header.of(from, to, 0);
    return RocePacket.of(ip, 49152, packet.bth(), packet.extensions(), Bytes.NONE);
  }

  private static RocePacket request(int queuePair, int psn) {
    return ours(Opcode.RC_SEND_ONLY, queuePair, psn);
  }

  private static RocePacket acknowledgement(int queuePair, int psn) {
    return packet(
        false,
        BaseHeader.of(Opcode.RC_ACKNOWLEDGE, queuePair, false, psn),
        List.of(new Extension.Acknowledge(Aeth.ACK, 0)));
  }
}
