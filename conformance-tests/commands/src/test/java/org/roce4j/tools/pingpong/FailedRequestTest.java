package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.WcStatus;

class FailedRequestTest {
  private static final String PEER = "127.0.0.1 (QP 0x11)";

  @Test
  void aKilledPeerStoppedAnswering() {
    ToolFailure failure =
        FailedRequest.failure(
            WcStatus.RETRY_EXC_ERR.value(),
            "message",
            PingPongService.RC,
            PEER,
            1_074_000_000L,
            17,
            499);
    assertEquals(
        "peer 127.0.0.1 (QP 0x11) stopped answering: transport retry counter exceeded after"
            + " 1.07 s; 499 requests flushed",
        failure.getMessage());
    assertEquals(ToolFailure.RUN_TIME, failure.exitCode());
  }

  @Test
  void aPeerThatNeverAnsweredMayBeBehindAFirewall() {
    String message =
        FailedRequest.failure(
                WcStatus.RETRY_EXC_ERR.value(), "message", PingPongService.RC, PEER, 1, 0, 1)
            .getMessage();
    assertTrue(message.contains("firewall in front of UDP port 4791"), message);
    assertTrue(message.endsWith("1 request flushed"), message);
  }

  @Test
  void aRefusedMessageHintsAtTheMtu() {
    String message =
        FailedRequest.failure(
                WcStatus.REM_INV_REQ_ERR.value(), "message", PingPongService.RC, PEER, 1, 0, 1)
            .getMessage();
    assertTrue(message.contains("same --mtu and --size"), message);
  }

  @Test
  void aMessageThatNoQueueIsThereForHintsAtTheDomain() {
    String message =
        FailedRequest.failure(
                WcStatus.REM_INV_REQ_ERR.value(), "message", PingPongService.XRC, PEER, 1, 0, 1)
            .getMessage();
    assertTrue(message.contains("--clients N plays them in one process"), message);
  }

  @ParameterizedTest
  @EnumSource(WcStatus.class)
  void everyStatusIsOneLineThatNamesThePeer(WcStatus status) {
    String message =
        FailedRequest.failure(status.value(), "message", PingPongService.RC, PEER, 1, 1, 2)
            .getMessage();
    assertEquals(1, message.lines().count());
    assertTrue(message.contains("peer " + PEER), message);
  }

  @Test
  void aStatusThatNobodyKnowsIsToldByNumber() {
    String message =
        FailedRequest.failure(99, "message", PingPongService.RC, PEER, 1, 1, 2).getMessage();
    assertTrue(message.contains("status 99"), message);
  }
}
