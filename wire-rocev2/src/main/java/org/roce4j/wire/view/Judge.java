package org.roce4j.wire.view;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;
import org.roce4j.wire.Transport;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.IpHeader;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.Ipv6Header;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.inspect.Mark;

/** Finds the rules that a packet keeps or breaks, and the rules that say what must follow it. */
final class Judge {
  private static final int CONGESTION_EXPERIENCED = 3;

  private final ViewedPacket packet;
  private final List<RuleJudgement> found = new ArrayList<>();

  private Judge(ViewedPacket packet) {
    this.packet = packet;
  }

  /**
   * The judgements of a packet; broken rules come first.
   *
   * @param follows whether it continues its message correctly, if known
   */
  static List<RuleJudgement> of(ViewedPacket packet, Optional<Boolean> follows) {
    Judge judge = new Judge(packet);
    follows.ifPresent(kept -> judge.found.add(RuleJudgement.of(ProtocolRule.MESSAGE_ORDER, kept)));
    RocePacket headers = packet.frame().headers();
    if (headers == null) {
      judge.withoutHeaders();
    } else {
      judge.mark();
      judge.fate(headers.bth().opcode().transport());
      judge.service(headers.bth());
      headers.extensions().forEach(judge::extension);
      judge.baseHeader(headers.bth());
      judge.congestion(headers.ip());
      judge.found.add(RuleJudgement.of(ProtocolRule.ICRC, packet.frame().icrc().equals("ok")));
    }
    judge.found.sort((a, b) -> Boolean.compare(broken(b), broken(a)));
    return List.copyOf(judge.found);
  }

  private static boolean broken(RuleJudgement judgement) {
    return judgement.verdict() == RuleJudgement.Verdict.BREAKS;
  }

  private void withoutHeaders() {
    boolean malformed = packet.frame().what().startsWith("malformed");
    found.add(
        malformed
            ? RuleJudgement.of(ProtocolRule.WELL_FORMED, false)
            : RuleJudgement.of(ProtocolRule.ICRC_NOT_CAPTURED));
  }

  private void mark() {
    switch (packet.position().mark()) {
      case RETRANSMISSION -> {
        found.add(RuleJudgement.of(ProtocolRule.RETRANSMISSION, true));
        found.add(RuleJudgement.of(ProtocolRule.DUPLICATE));
      }
      case GAP -> found.add(RuleJudgement.of(ProtocolRule.GAP));
      case LATE -> found.add(RuleJudgement.of(ProtocolRule.LATE));
      case DUPLICATE -> found.add(RuleJudgement.of(ProtocolRule.DUPLICATE, true));
      case NONE, NAK, RNR, CNP -> {}
    }
  }

  private void fate(Transport transport) {
    if (packet.fate() == PacketFate.LOST) {
      boolean repaired = transport == Transport.RC || transport == Transport.XRC;
      found.add(RuleJudgement.of(repaired ? ProtocolRule.LOST : ProtocolRule.LOST_UNREPAIRED));
    }
  }

  private void service(BaseHeader bth) {
    Opcode opcode = bth.opcode();
    switch (opcode.transport()) {
      case UD -> found.add(RuleJudgement.of(ProtocolRule.DATAGRAM));
      case UC -> found.add(RuleJudgement.of(ProtocolRule.UNRELIABLE_CONNECTION));
      default -> {}
    }
    if (opcode.operation() == Operation.READ_RESPONSE) {
      found.add(RuleJudgement.of(ProtocolRule.READ_RESPONSE, true));
    }
    if (opcode.request() && opcode.transport() != Transport.UD) {
      if (packet.position().mark() == Mark.NONE) {
        found.add(RuleJudgement.of(ProtocolRule.NEXT_PSN, true));
      }
      if (bth.ackReq()) {
        found.add(RuleJudgement.of(ProtocolRule.ACK_REQUESTED));
      }
    }
    if (opcode.carriesPayload() && opcode.transport() != Transport.UD) {
      place(opcode, bth);
    }
  }

  private void place(Opcode opcode, BaseHeader bth) {
    int payload = packet.frame().payload();
    if (opcode.first() || opcode.middle()) {
      boolean full = Integer.bitCount(payload) == 1 && payload >= 256 && payload <= 4096;
      found.add(RuleJudgement.of(ProtocolRule.FULL_PACKET, full && bth.padCount() == 0));
    } else if (opcode.last()) {
      found.add(RuleJudgement.of(ProtocolRule.LAST_NOT_EMPTY, payload > 0 && payload <= 4096));
    } else {
      found.add(RuleJudgement.of(ProtocolRule.ONLY, payload <= 4096));
    }
  }

  private void extension(Extension extension) {
    switch (extension) {
      case Extension.Acknowledge(int syndrome, int _) -> acknowledge(syndrome);
      case Extension.Rdma(long _, int _, long length) ->
          found.add(
              RuleJudgement.of(ProtocolRule.RDMA_LENGTH, length <= Opcode.MOST_MESSAGE_BYTES));
      case Extension.Atomic(long va, int _, long _, long _) ->
          found.add(RuleJudgement.of(ProtocolRule.ATOMIC_ALIGNED, va % Long.BYTES == 0));
      case Extension.CnpReserved(long high, long low) ->
          found.add(RuleJudgement.of(ProtocolRule.CNP, high == 0 && low == 0));
      default -> {}
    }
  }

  private void acknowledge(int syndrome) {
    if (Aeth.isAck(syndrome)) {
      found.add(RuleJudgement.of(ProtocolRule.ACK));
    } else if (Aeth.isRnrNak(syndrome)) {
      found.add(RuleJudgement.of(ProtocolRule.RNR));
    } else {
      switch (syndrome) {
        case Aeth.NAK_SEQUENCE -> found.add(RuleJudgement.of(ProtocolRule.NAK_SEQUENCE));
        case Aeth.NAK_INVALID_REQUEST -> found.add(RuleJudgement.of(ProtocolRule.NAK_INVALID));
        case Aeth.NAK_REMOTE_ACCESS -> found.add(RuleJudgement.of(ProtocolRule.NAK_ACCESS));
        case Aeth.NAK_REMOTE_OPERATIONAL ->
            found.add(RuleJudgement.of(ProtocolRule.NAK_OPERATIONAL));
        default -> found.add(RuleJudgement.of(ProtocolRule.SYNDROME, false));
      }
    }
  }

  private void baseHeader(BaseHeader bth) {
    // A packet whose pad count does not fit its length is malformed and has no headers here.
    Bytes pad = packet.frame().headers().pad();
    found.add(RuleJudgement.of(ProtocolRule.PAD, pad.equals(Bytes.zeros(pad.length()))));
    if (bth.reserved6() != 0 || bth.reserved7() != 0) {
      found.add(RuleJudgement.of(ProtocolRule.RESERVED_BITS, false));
    }
    if (bth.solicited()) {
      Operation operation = bth.opcode().operation();
      boolean may =
          operation == Operation.SEND
              || operation == Operation.RDMA_WRITE && bth.opcode().hasImmediate();
      found.add(RuleJudgement.of(ProtocolRule.SOLICITED, may && bth.opcode().ends()));
    }
  }

  private void congestion(IpHeader ip) {
    int trafficClass =
        switch (ip) {
          case Ipv4Header v4 -> v4.tos();
          case Ipv6Header v6 -> v6.trafficClass();
        };
    if ((trafficClass & CONGESTION_EXPERIENCED) == CONGESTION_EXPERIENCED) {
      found.add(RuleJudgement.of(ProtocolRule.CONGESTION_MARK));
    }
  }
}
