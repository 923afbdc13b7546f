package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.roce4j.device.Refusals.refused;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.CmOption;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.UdParam;

/**
 * The attributes of both queue pairs, by the parameters of both programs and the options of ids.
 */
class AgreedAttributesTest extends CmRig {
  private Ends asked(CmId active, ConnParam param) {
    active.connect(param);
    return new Ends(active, next(server, CmEvent.ConnectRequest.class).id());
  }

  private Ends answered(CmId active, ConnParam param, ConnParam answer) {
    Ends asked = asked(active, param);
    asked.passive().accept(answer);
    next(client, CmEvent.ConnectResponse.class);
    return asked;
  }

  private static ConnParam param(int qpNum, int resources, int depth) {
    return new ConnParam().qpNum(qpNum).responderResources(resources).initiatorDepth(depth);
  }

  /** An end may be read from only if it has resources to answer. */
  @ParameterizedTest
  @CsvSource({"0, 0", "0, 1", "1, 0", "1, 1"})
  void anEndThatAnswersReadsMayBeRead(int resources, int depth) {
    listening("10.0.0.2");
    Ends ends = asked(routed("10.0.0.2"), param(0x11, resources, depth));
    assertEquals(access(resources), ends.active().initQpAttr(QpState.INIT).qpAccessFlags());
    assertEquals(access(depth), ends.passive().initQpAttr(QpState.INIT).qpAccessFlags());
  }

  private static int access(int reads) {
    int read = AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
    return AccessFlags.REMOTE_WRITE | (reads > 0 ? read : 0);
  }

  /** The peer may be able to do more than was asked for, or less. */
  @ParameterizedTest
  @CsvSource({"4, 6, 9, 9, 4, 6", "4, 6, 3, 2, 2, 3", "4, 6, 6, 4, 4, 6"})
  void readsAreLimitedByTheWeakerEnd(
      int resources, int depth, int peersResources, int peersDepth, int accepted, int issued) {
    listening("10.0.0.2");
    CmId active =
        answered(
                routed("10.0.0.2"),
                param(0x11, resources, depth),
                param(0x22, peersResources, peersDepth))
            .active();
    assertEquals(accepted, active.initQpAttr(QpState.RTR).maxDestRdAtomic());
    assertEquals(0, active.initQpAttr(QpState.RTR).minRnrTimer(), "as on Linux");
    assertEquals(issued, active.initQpAttr(QpState.RTS).maxRdAtomic());
  }

  /** A retry count has eight bits in librdmacm and three in the message. */
  @Test
  void moreRetriesThanAMessageCanNameAreSeven() {
    listening("10.0.0.2");
    Ends ends = asked(routed("10.0.0.2"), param(0x11, 1, 1).retryCount(9).rnrRetryCount(10));
    QpAttr passive = ends.passive().initQpAttr(QpState.RTS);
    assertEquals(7, passive.retryCnt());
    assertEquals(7, passive.rnrRetry());
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.2", "fd00::2"})
  void bothEndsSendOnOnePath(String address) {
    listening(address);
    Ends ends = answered(routed(address), param(0x11, 1, 1), param(0x22, 1, 1));
    GlobalRoute active = ends.active().initQpAttr(QpState.RTR).ahAttr().grh();
    GlobalRoute passive = ends.passive().initQpAttr(QpState.RTR).ahAttr().grh();
    int index = address.startsWith("fd") ? 1 : 0;
    assertEquals(index, active.sgidIndex());
    assertEquals(index, passive.sgidIndex());
    assertEquals(PeerRoute.HOP_LIMIT, active.hopLimit());
    assertEquals(PeerRoute.HOP_LIMIT, passive.hopLimit());
    assertNotEquals(0, active.flowLabel());
    assertEquals(active.flowLabel(), passive.flowLabel());
  }

  /** A queue pair of datagrams has no peer; its Q_Key is that of every id, its first PSN is 0. */
  @ParameterizedTest
  @EnumSource
  void datagramsHaveAttributesForThreeStates(QpState state) {
    CmId id = routed(client.createId(PortSpace.UDP), "10.0.0.2");
    if (state != QpState.INIT && state != QpState.RTR && state != QpState.RTS) {
      refused(Errno.EINVAL, () -> id.initQpAttr(state));
      return;
    }
    QpAttr attr = id.initQpAttr(state);
    int wanted =
        switch (state) {
          case INIT -> QpAttrMask.PKEY_INDEX | QpAttrMask.PORT | QpAttrMask.QKEY;
          case RTS -> QpAttrMask.SQ_PSN;
          default -> 0;
        };
    assertEquals(QpAttrMask.STATE | wanted, attr.mask());
    if (state == QpState.INIT) {
      assertEquals(UdParam.QKEY, attr.qkey());
    }
  }

  @Test
  void anAddressIsNoGroup() {
    CmId id = routed(client.createId(PortSpace.UDP), "10.0.0.2");
    refused(Errno.EINVAL, () -> id.joinMulticast(at("10.0.0.9", 0).getAddress(), null));
  }

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
