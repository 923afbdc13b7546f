package org.roce4j.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.datagram.Path;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;

/** The mistakes in an address vector, each reported with the field and its range. */
class AddressVectorsTest {
  private static final Gid PEER = Gid.parse("10.0.0.2");

  private final TestHost host = new TestHost();

  private static AhAttr of(boolean global, GlobalRoute route, int port) {
    return new AhAttr(global, route, 0, 0, 0, 0, port);
  }

  private static AhAttr to(Gid dgid, int sgidIndex, int hopLimit, int trafficClass) {
    return of(true, new GlobalRoute(dgid, 0, sgidIndex, hopLimit, trafficClass), 1);
  }

  /** One field of a right address vector changed. */
  enum Wrong {
    LOCAL(of(false, AhAttr.roce(PEER, 0).grh(), 1), "RoCE needs an ah_attr with a global route"),
    NO_ROUTE(of(true, null, 1), "RoCE needs an ah_attr with a global route"),
    PORT_0(AhAttr.roce(PEER, 0).onPort(0), "port_num of the address vector must be 1 to 2, not 0"),
    PORT_3(AhAttr.roce(PEER, 0).onPort(3), "port_num of the address vector must be 1 to 2, not 3"),
    LONG_WAY(to(PEER, 0, 256, 0), "hop_limit must be 0 to 255, not 256"),
    NO_WAY(to(PEER, 0, -1, 0), "hop_limit must be 0 to 255, not -1"),
    NO_CLASS(to(PEER, 0, 1, -1), "traffic_class must be 0 to 255, not -1"),
    WIDE_CLASS(to(PEER, 0, 1, 256), "traffic_class must be 0 to 255"),
    NO_DGID(to(null, 0, 1, 0), "the address vector has no dgid"),
    NOWHERE(to(Gid.ZERO, 0, 1, 0), "the address vector has no dgid"),
    FROM_NOWHERE(to(PEER, 1, 1, 0), "sgid_index 1 is not in the table of port 1"),
    OTHER_VERSION(to(Gid.parse("fd00::2"), 0, 1, 0), "sgid_index 0 and dgid fd00:");

    private final AhAttr vector;
    private final String words;

    Wrong(AhAttr vector, String words) {
      this.vector = vector;
      this.words = words;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWrongOneIsRefused(Wrong wrong) {
    host.ports = 2;
    VerbsException refused =
        assertThrows(VerbsException.class, () -> AddressVectors.check(host, wrong.vector));
    assertEquals(Errno.EINVAL, refused.errno());
    assertTrue(refused.remedy().startsWith(wrong.words), refused::remedy);
  }

  @Test
  void theWidestFieldsAreTaken() {
    Path path = AddressVectors.check(host, to(PEER, 0, 255, 255));
    assertEquals(255, path.hopLimit());
    assertEquals(255, path.trafficClass());
  }

  /** A hop limit of 0 is the usual one. */
  @Test
  void theNarrowestFieldsAreTaken() {
    Path path = AddressVectors.check(host, to(PEER, 0, 0, 0));
    assertEquals(64, path.hopLimit());
    assertEquals(0, path.trafficClass());
    assertEquals(1, AddressVectors.check(host, to(PEER, 0, 1, 0)).hopLimit());
  }

  @Test
  void aFlowLabelHasTwentyBits() {
    AhAttr ah = of(true, new GlobalRoute(PEER, 0xfff0_1234, 0, 1, 0), 1);
    assertEquals(0x0_1234, AddressVectors.flowLabel(ah));
  }

  @Test
  void thePortIsThatOfTheQueuePair() {
    host.ports = 2;
    QpAttr kept = new QpAttr().qpState(QpState.INIT).portNum(1);
    QpAttr asked = new QpAttr().ahAttr(AhAttr.roce(PEER, 0).onPort(2));
    VerbsException refused =
        assertThrows(
            VerbsException.class,
            () -> QpAttributes.check(host, QpType.RC, kept, QpState.SQD, asked, QpAttrMask.AV));
    assertEquals(
        "port_num of ahAttr must be 1, the port of the queue pair, not 2", refused.remedy());
  }

  @Test
  void theFirstReasonOfAFailureIsKept() {
    FailureLog log = new FailureLog();
    assertNull(log.cause());
    log.refused("no such key");
    log.because("something later");
    assertEquals("it refused a request of its peer: no such key", log.cause());
    assertEquals("no such key", log.refusal());
    log.clear();
    assertNull(log.refusal());
    assertNull(log.cause());
  }
}
