package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.CmOption;

/** What the options of the active id are to the queue pairs of both ends. */
class AttributesOfOptionsTest extends CmRig {
  /**
   * By Linux's rule ({@code cm_ack_timeout}), in codes: twice the lifetime of a packet, which is
   * half of what was asked for, and a device's delay of 15.
   *
   * @param option -1: not set
   */
  @ParameterizedTest
  @CsvSource({
    "-1, 17, 17",
    "0, 16, 15",
    "13, 16, 15",
    "14, 17, 16",
    "16, 17, 17",
    "18, 18, 18",
    "31, 31, 31"
  })
  void theAckTimeoutIsThatOfThePathAndOfThePeersDelay(int option, int active, int passive) {
    listening("10.0.0.2");
    CmId id = resolved("10.0.0.2");
    if (option >= 0) {
      id.setOption(CmOption.ACK_TIMEOUT, option);
    }
    Ends ends = connected(id);
    assertEquals(active, ends.active().initQpAttr(QpState.RTS).timeout());
    assertEquals(passive, ends.passive().initQpAttr(QpState.RTS).timeout());
    assertEquals(active, ends.active().qp().query().timeout());
  }

  /** The service level is the upper three bits: a priority of the network. */
  @ParameterizedTest
  @ValueSource(ints = {0, 0x1f, 0x20, 0xa8, 0xff})
  void theTypeOfServiceIsTheTrafficClassAndTheServiceLevel(int tos) {
    listening("10.0.0.2");
    CmId id = resolved("10.0.0.2");
    id.setOption(CmOption.TOS, tos);
    Ends ends = connected(id);
    for (CmId end : List.of(ends.active(), ends.passive())) {
      AhAttr to = end.initQpAttr(QpState.RTR).ahAttr();
      assertEquals(tos, to.grh().trafficClass());
      assertEquals(tos >>> 5, to.serviceLevel());
    }
  }
}
