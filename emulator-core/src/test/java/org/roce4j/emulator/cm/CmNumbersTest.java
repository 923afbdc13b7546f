package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RejectReason;
import org.roce4j.verbs.cm.SidrStatus;
import org.roce4j.wire.mad.RejCode;
import org.roce4j.wire.mad.ServiceId;
import org.roce4j.wire.mad.SidrRep;

/**
 * The verbs and the messages of the connection manager are independent, and both have its numbers.
 * The emulator, which knows both, passes numbers between them.
 */
class CmNumbersTest {
  @Test
  void everyReasonOfARejectionIsAReasonOfTheMessage() {
    assertEquals(
        Stream.of(RejCode.values()).map(RejCode::code).toList(),
        Stream.of(RejectReason.values()).map(r -> r.value()).toList());
    for (RejectReason ofVerbs : RejectReason.values()) {
      String onTheWire = RejCode.of(ofVerbs.value()).name();
      assertTrue(onTheWire.startsWith(ofVerbs.name()), ofVerbs + " is " + onTheWire);
    }
  }

  @Test
  void everyStatusOfAServiceResolutionIsAStatusOfTheMessage() {
    assertEquals(
        List.of(
            SidrRep.SUCCESS,
            SidrRep.UNSUPPORTED_SERVICE,
            SidrRep.REJECTED,
            SidrRep.NO_QP,
            SidrRep.REDIRECT,
            SidrRep.UNSUPPORTED_VERSION),
        Stream.of(
                SidrStatus.SUCCESS,
                SidrStatus.UNSUPPORTED,
                SidrStatus.REJECT,
                SidrStatus.NO_QP,
                SidrStatus.REDIRECT,
                SidrStatus.UNSUPPORTED_VERSION)
            .map(SidrStatus::value)
            .toList());
  }

  @Test
  void everyPortSpaceIsAPortSpaceOfTheMessage() {
    for (PortSpace space : PortSpace.values()) {
      long serviceId = space.serviceId(7471);
      assertEquals(space + ":7471", ServiceId.text(serviceId));
      assertEquals(serviceId, ServiceId.of(space.value(), 7471));
    }
  }
}
