package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.Dialogue.us;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Limit;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** What finds out a loss that nothing else tells, long before the ACK timeout. */
@Holds(Rule.ACK_TIMEOUT)
class LossProbeDialogueTest extends DialogueFixture {
  /** The least patience: the round trips of a dialogue take no time. */
  private static final long PATIENCE = us(200);

  private static final long TIMEOUT_14 = 4096L << 14;

  /** So many acknowledgements tell how long one takes. */
  private static final int SAMPLES = 8;

  /** Whatever is in flight. */
  private static final DeviceLimits ALWAYS =
      DeviceLimits.DEFAULT.with(Limit.MAX_PROBING_QP, 1).with(Limit.LEAST_PROBED_PACKETS, 0);

  @BeforeEach
  void measureTheRoundTrip() {
    measureTheRoundTrip(ALWAYS, 1);
  }

  private void measureTheRoundTrip(DeviceLimits limits, int retryCount) {
    begin(rc().limits(limits).retryCount(retryCount));
    for (int psn = 0; psn < SAMPLES; psn++) {
      qp.postsSend(psn, 10);
      d.hears(send(psn));
      d.says(peer.ack(psn, psn + 1));
      qp.sent(psn, WcStatus.SUCCESS);
    }
  }

  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  private void sendsThree() {
    for (int psn = SAMPLES; psn < SAMPLES + 3; psn++) {
      qp.postsSend(psn, 10);
      d.hears(send(psn));
    }
  }

  @Test
  @DisplayName(
      "with no retry to take, an answer that passes over something ends nothing: it may be late")
  void leavesTheVerdictToTheTimeout() {
    measureTheRoundTrip(ALWAYS, 0);
    sendsThree();
    d.hearsAt(d.nowNs() + PATIENCE, send(8));
    d.says(peer.ack(8, 9));
    qp.sent(8, WcStatus.SUCCESS);
    d.hearsNothingUntil(d.nowNs() + PATIENCE / 2);
    d.says(peer.ack(10, 11));
    qp.sent(9, WcStatus.SUCCESS);
    qp.sent(10, WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("a probe that does not fit behind a shorter packet opens the next train")
  void probesInTheNextTrain() {
    begin(
        rc().limits(
                DeviceLimits.DEFAULT
                    .with(Limit.MAX_PROBING_QP, 2)
                    .with(Limit.LEAST_PROBED_PACKETS, 0)));
    QpUnderTest.Second other = qp.second();
    for (int psn = 0; psn < SAMPLES; psn++) {
      qp.postsSend(psn, 10);
      d.hears(send(psn));
      d.says(peer.ack(psn, psn + 1));
      qp.sent(psn, WcStatus.SUCCESS);
    }
    PacketDraft read = other.here().read(0, 0x1000, 7, 8);
    PacketDraft send = here.send(8).bytes(0, 100).ackReq();
    assertEquals(
        0,
        other
            .qp()
            .postSend(
                qp.request(8, WrOpcode.RDMA_READ)
                    .remote(0x1000, 7)
                    .sge(qp.region, QpUnderTest.HALF, 8)));
    qp.postsSend(9, 100);
    d.hears(read, send);
    long sent = d.nowNs();
    d.hearsAt(sent + PATIENCE, read);
    d.hears(send);
    d.says(peer.ack(8, 9), other.peer().readOnly(0, 1).bytes(0, 8));
    d.hearsNothingUntil(sent + 2 * TIMEOUT_14);
    assertEquals(2, qp.counter(Counter.LOSS_PROBE));
  }

  @ParameterizedTest
  @ValueSource(ints = {7, 8})
  @DisplayName("by default a stream is probed for; whoever sends less waits for the ACK timeout")
  void probesForStreams(int messages) {
    measureTheRoundTrip(DeviceLimits.DEFAULT, 1);
    for (int psn = SAMPLES; psn < SAMPLES + messages; psn++) {
      qp.postsSend(psn, 10);
      d.hears(send(psn));
    }
    d.hearsAt(d.nowNs() + (messages < 8 ? TIMEOUT_14 : PATIENCE), send(8));
    assertEquals(messages < 8 ? 0 : 1, qp.counter(Counter.LOSS_PROBE));
    assertEquals(messages < 8 ? 1 : 0, qp.counter(Counter.ACK_TIMEOUT));
  }

  @Test
  @DisplayName("a probe takes no room in the path's window: its packet is in flight already")
  @Holds(Rule.PATH_WINDOW)
  void takesNoRoomInTheWindow() {
    begin(rc().limits(ALWAYS).mtu(Mtu.MTU_4096));
    PacketDraft packet = here.send(0).bytes(0, 4096).ackReq();
    for (int psn = 0; psn < SAMPLES + 80; psn++) {
      packet = here.send(psn).bytes(0, 4096).ackReq();
      qp.postsSend(psn, 4096);
      d.hears(packet);
      if (psn > SAMPLES && psn % 2 == 0) {
        d.hearsAt(d.nowNs() + PATIENCE, packet);
      }
      d.says(peer.ack(psn, psn + 1));
      qp.sent(psn, WcStatus.SUCCESS);
    }
  }
}
