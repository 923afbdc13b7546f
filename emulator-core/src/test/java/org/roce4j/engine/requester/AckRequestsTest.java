package org.roce4j.engine.requester;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Which packets of a long message ask for an acknowledgement. */
class AckRequestsTest {
  private static final long FAR = 1 << 20;

  private final AckRequests requests = new AckRequests();

  private void send(int packets, long charge) {
    for (int i = 0; i < packets; i++) {
      requests.sent(charge, false);
    }
  }

  @Test
  void everySixteenthPacketAsks() {
    send(14, 1);
    assertFalse(requests.isDue(1, FAR));
    send(1, 1);
    assertTrue(requests.isDue(1, FAR));
    requests.sent(1, true);
    send(14, 1);
    assertFalse(requests.isDue(1, FAR), "counted from the packet that asked");
    send(1, 1);
    assertTrue(requests.isDue(1, FAR));
  }

  @Test
  void onePacketInEachHalfOfTheWindowAsks() {
    send(2, 100);
    assertFalse(requests.isDue(99, 600));
    assertTrue(requests.isDue(100, 600));
    requests.sent(100, true);
    send(2, 100);
    assertFalse(requests.isDue(99, 600), "counted from the packet that asked");
    assertTrue(requests.isDue(100, 600));
  }

  @Test
  void aRestartForgetsWhatWasSent() {
    assertFalse(requests.unasked());
    send(15, 100);
    assertTrue(requests.unasked());
    requests.clear();
    assertFalse(requests.unasked());
    assertFalse(requests.isDue(299, 600), "no packet and no byte is left");
    requests.sent(1, true);
    assertFalse(requests.unasked());
  }
}
