package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each attribute of a queue pair is named by its bit when it is set. */
class QpAttrTest {
  private static final AhAttr PATH = AhAttr.roce(Gid.ofIpv4(5), 1);
  private static final AhAttr OTHER = AhAttr.roce(Gid.ofIpv4(6), 2);

  private static Arguments row(
      int bit, Function<QpAttr, QpAttr> set, Function<QpAttr, Object> get, Object value) {
    return Arguments.of(QpAttrMask.toString(bit), bit, set, get, value);
  }

  static Stream<Arguments> attributes() {
    QpCapabilities cap = new QpCapabilities(1, 2, 3, 4, 5);
    return Stream.of(
        row(QpAttrMask.STATE, a -> a.qpState(QpState.RTR), QpAttr::qpState, QpState.RTR),
        row(QpAttrMask.CUR_STATE, a -> a.curQpState(QpState.SQD), QpAttr::curQpState, QpState.SQD),
        row(
            QpAttrMask.EN_SQD_ASYNC_NOTIFY,
            a -> a.enSqdAsyncNotify(true),
            QpAttr::enSqdAsyncNotify,
            true),
        row(QpAttrMask.ACCESS_FLAGS, a -> a.qpAccessFlags(3), QpAttr::qpAccessFlags, 3),
        row(QpAttrMask.PKEY_INDEX, a -> a.pkeyIndex(4), QpAttr::pkeyIndex, 4),
        row(QpAttrMask.PORT, a -> a.portNum(5), QpAttr::portNum, 5),
        row(QpAttrMask.QKEY, a -> a.qkey(6), QpAttr::qkey, 6),
        row(QpAttrMask.AV, a -> a.ahAttr(PATH), QpAttr::ahAttr, PATH),
        row(QpAttrMask.PATH_MTU, a -> a.pathMtu(Mtu.MTU_512), QpAttr::pathMtu, Mtu.MTU_512),
        row(QpAttrMask.TIMEOUT, a -> a.timeout(7), QpAttr::timeout, 7),
        row(QpAttrMask.RETRY_CNT, a -> a.retryCnt(2), QpAttr::retryCnt, 2),
        row(QpAttrMask.RNR_RETRY, a -> a.rnrRetry(3), QpAttr::rnrRetry, 3),
        row(QpAttrMask.RQ_PSN, a -> a.rqPsn(8), QpAttr::rqPsn, 8),
        row(QpAttrMask.MAX_QP_RD_ATOMIC, a -> a.maxRdAtomic(9), QpAttr::maxRdAtomic, 9),
        row(QpAttrMask.ALT_PATH, a -> a.altAhAttr(OTHER), QpAttr::altAhAttr, OTHER),
        row(QpAttrMask.ALT_PATH, a -> a.altPkeyIndex(10), QpAttr::altPkeyIndex, 10),
        row(QpAttrMask.ALT_PATH, a -> a.altPortNum(11), QpAttr::altPortNum, 11),
        row(QpAttrMask.ALT_PATH, a -> a.altTimeout(12), QpAttr::altTimeout, 12),
        row(QpAttrMask.MIN_RNR_TIMER, a -> a.minRnrTimer(13), QpAttr::minRnrTimer, 13),
        row(QpAttrMask.SQ_PSN, a -> a.sqPsn(14), QpAttr::sqPsn, 14),
        row(QpAttrMask.MAX_DEST_RD_ATOMIC, a -> a.maxDestRdAtomic(15), QpAttr::maxDestRdAtomic, 15),
        row(
            QpAttrMask.PATH_MIG_STATE,
            a -> a.pathMigState(MigState.REARM),
            QpAttr::pathMigState,
            MigState.REARM),
        row(QpAttrMask.CAP, a -> a.cap(cap), QpAttr::cap, cap),
        row(QpAttrMask.DEST_QPN, a -> a.destQpNum(16), QpAttr::destQpNum, 16),
        row(QpAttrMask.RATE_LIMIT, a -> a.rateLimit(17), QpAttr::rateLimit, 17));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("attributes")
  void whatIsSetIsNamedAndTaken(
      String name,
      int bit,
      Function<QpAttr, QpAttr> set,
      Function<QpAttr, Object> get,
      Object value) {
    QpAttr attr = new QpAttr();
    assertNotEquals(value, get.apply(attr));
    assertEquals(attr, set.apply(attr));
    assertEquals(value, get.apply(attr));
    assertEquals(bit, attr.mask());
    QpAttr more = set.apply(new QpAttr().qpState(QpState.INIT).destQpNum(1));
    assertEquals(QpAttrMask.STATE | QpAttrMask.DEST_QPN | bit, more.mask(), "those before stay");
    QpAttr taken = new QpAttr().take(attr, bit);
    assertEquals(value, get.apply(taken));
    assertEquals(bit, taken.mask());
    assertNotEquals(value, get.apply(new QpAttr().take(attr, ~bit)), "others are not it");
  }

  @Test
  void severalAreTakenAtOnceAndNoOthers() {
    QpAttr from = new QpAttr().rqPsn(1).sqPsn(2).timeout(3);
    QpAttr taken = new QpAttr().take(from, QpAttrMask.RQ_PSN | QpAttrMask.TIMEOUT);
    assertEquals(List.of(1, 0, 3), List.of(taken.rqPsn(), taken.sqPsn(), taken.timeout()));
    assertEquals(QpAttrMask.RQ_PSN | QpAttrMask.TIMEOUT, taken.mask());
  }

  @Test
  void eachAttributeIsPrintedWithItsOwnValue() {
    QpAttr attr =
        new QpAttr()
            .qpState(QpState.RTR)
            .curQpState(QpState.SQD)
            .enSqdAsyncNotify(true)
            .qpAccessFlags(AccessFlags.REMOTE_READ)
            .pkeyIndex(4)
            .portNum(5)
            .qkey(6)
            .ahAttr(PATH)
            .altAhAttr(OTHER)
            .timeout(7)
            .retryCnt(8)
            .rnrRetry(9)
            .rqPsn(10)
            .sqPsn(11)
            .minRnrTimer(12)
            .destQpNum(13)
            .rateLimit(14)
            .pathMtu(Mtu.MTU_512)
            .maxRdAtomic(15)
            .maxDestRdAtomic(3)
            .pathMigState(MigState.REARM)
            .cap(new QpCapabilities(1, 2, 3, 4, 5));
    assertEquals(
        "qpState=RTR, curQpState=SQD, enSqdAsyncNotify=true, qpAccessFlags=REMOTE_READ,"
            + " pkeyIndex=4, portNum=5, qkey=0x6, ahAttr=to ::ffff:0.0.0.5 from GID 1 of port 1,"
            + " pathMtu=MTU_512, timeout=7, retryCnt=8, rnrRetry=9, rqPsn=0xa, maxRdAtomic=15,"
            + " altAhAttr=to ::ffff:0.0.0.6 from GID 2 of port 1, minRnrTimer=12, sqPsn=0xb,"
            + " maxDestRdAtomic=3, pathMigState=REARM,"
            + " cap=1 sends of 3 elements, 2 receives of 4, 5 bytes inline,"
            + " destQpNum=0xd, rateLimit=14",
        attr.toString());
  }
}
