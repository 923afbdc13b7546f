package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.junit.EmulatedNetwork;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;

/**
 * Congestion marks in a real network header (wire-format 8.3, 8.4). No router marks packets here:
 * the sender's own traffic class has the bits for experienced congestion. Both queue pairs are on
 * one device, so that IPv6 has an address on every machine.
 */
@Timeout(60)
abstract class CongestionContract {
  private static final int HOP_LIMIT = 64;
  private static final int NOT_CAPABLE = 0;
  private static final int CAPABLE = 2;
  private static final int EXPERIENCED = 3;

  private void exchange(End end, int trafficClass) {
    QueuePair sender = end.queuePair(QpType.RC, null);
    QueuePair receiver = end.queuePair(QpType.RC, null);
    end.connect(receiver, end, sender);
    end.connect(sender, receiver, AhAttr.roce(end.gid(), 0, HOP_LIMIT, trafficClass));
    end.receive(receiver, 3, End.PIECE);
    end.send(sender, 1, 0x77, 100);
    end.next();
    end.next();
    end.assertReceived(3, 0, 0x77, 100);
  }

  @Test
  void aMarkIsSeenAndToldToTheSenderWhereThePortCanReadIt(
      Context context, EmulatedNetwork network) {
    End end = new End(context);
    exchange(end, EXPERIENCED);
    long marks = network.transport().equals("netty") ? 0 : 1;
    while (end.counter("rcvd_cnp") < marks) {
      end.poll();
    }
    assertEquals(marks, end.counter("ecn_marked"));
    assertEquals(marks, end.counter("sent_cnp"));
    assertEquals(marks, end.counter("rcvd_cnp"));
  }

  @Test
  void whatIsOnlyCapableIsNoMark(Context context) {
    End end = new End(context);
    exchange(end, CAPABLE);
    exchange(end, NOT_CAPABLE);
    assertEquals(0, end.counter("ecn_marked"));
    assertEquals(0, end.counter("sent_cnp"));
  }
}
