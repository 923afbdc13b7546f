package org.roce4j.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.MigState;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;

/** The value checks of {@code ibv_modify_qp}, a row of verbs-tables 1.6 each. */
class QpAttributesTest {
  private static final Gid PEER = Gid.parse("10.0.0.2");

  private static QpAttr init() {
    return new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0);
  }

  private static QpAttr datagramInit() {
    return new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(5);
  }

  private static QpAttr rtr() {
    return new QpAttr()
        .qpState(QpState.RTR)
        .ahAttr(AhAttr.roce(PEER, 0))
        .pathMtu(Mtu.MTU_1024)
        .destQpNum(5)
        .rqPsn(0)
        .maxDestRdAtomic(1)
        .minRnrTimer(1);
  }

  private static QpAttr rts() {
    return new QpAttr()
        .qpState(QpState.RTS)
        .sqPsn(0)
        .timeout(1)
        .retryCnt(1)
        .rnrRetry(1)
        .maxRdAtomic(1);
  }

  private static Arguments refused(
      String what, QpState from, QpAttr base, UnaryOperator<QpAttr> change) {
    return Arguments.of(what, Errno.EINVAL, from, change.apply(base));
  }

  private static Arguments toInit(String what, UnaryOperator<QpAttr> change) {
    return refused(what, QpState.RESET, init(), change);
  }

  private static Arguments toRtr(String what, UnaryOperator<QpAttr> change) {
    return refused(what, QpState.INIT, rtr(), change);
  }

  private static Arguments toRts(String what, UnaryOperator<QpAttr> change) {
    return refused(what, QpState.RTR, rts(), change);
  }

  private static AhAttr av(GlobalRoute route, int port) {
    return new AhAttr(true, route, 0, 0, 0, 0, port);
  }

  static Stream<Arguments> connectedRows() {
    return Stream.of(
        toInit("port 0", a -> a.portNum(0)),
        toInit("port 2", a -> a.portNum(2)),
        toInit("P_Key index", a -> a.pkeyIndex(2)),
        toInit("P_Key index -1", a -> a.pkeyIndex(-1)),
        toRtr("AV without GRH", a -> a.ahAttr(new AhAttr(false, null, 0, 0, 0, 0, 1))),
        toRtr("no AV", a -> a.ahAttr(null)),
        toRtr("GID index", a -> a.ahAttr(av(new GlobalRoute(PEER, 0, 1, 64, 0), 1))),
        toRtr("AV port", a -> a.ahAttr(av(new GlobalRoute(PEER, 0, 0, 64, 0), 2))),
        toRtr("hop limit", a -> a.ahAttr(av(new GlobalRoute(PEER, 0, 0, 256, 0), 1))),
        toRtr("no destination", a -> a.ahAttr(av(new GlobalRoute(Gid.ZERO, 0, 0, 64, 0), 1))),
        toRtr(
            "IPv6 from an IPv4 address",
            a -> a.ahAttr(av(new GlobalRoute(Gid.parse("fd00::1"), 0, 0, 64, 0), 1))),
        toRtr("alternate path", a -> a.altAhAttr(AhAttr.roce(PEER, 0))),
        toRtr("no path MTU", a -> a.pathMtu(null)),
        toRtr("QPN", a -> a.destQpNum(1 << 24)),
        toRtr("RNR timer", a -> a.minRnrTimer(32)),
        toRtr("responder", a -> a.maxDestRdAtomic(129)),
        toRtr("responder -1", a -> a.maxDestRdAtomic(-1)),
        toRts("timeout", a -> a.timeout(32)),
        toRts("timeout -1", a -> a.timeout(-1)),
        toRts("retry_cnt", a -> a.retryCnt(8)),
        toRts("rnr_retry", a -> a.rnrRetry(8)),
        toRts("initiator", a -> a.maxRdAtomic(129)),
        toRts("other current state", a -> a.curQpState(QpState.SQD)),
        refused(
            "other current state, from where the move is legal",
            QpState.RTS,
            new QpAttr(),
            a -> a.qpState(QpState.RTS).curQpState(QpState.SQD)),
        refused("no migration state", QpState.RTS, new QpAttr(), a -> a.pathMigState(null)),
        toRts("no state", a -> a.qpState(null)),
        toRts("unknown state", a -> a.qpState(QpState.UNKNOWN)),
        refused("SQE by hand", QpState.RTS, rts(), a -> a.qpState(QpState.SQE)));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("connectedRows")
  void refusesWithThatErrno(String what, Errno errno, QpState from, QpAttr attr) {
    assertEquals(errno, errno(QpType.RC, from, attr, attr.mask()));
  }

  private static Errno errno(QpType type, QpState from, QpAttr attr, int mask) {
    VerbsException e =
        assertThrows(
            VerbsException.class,
            () ->
                QpAttributes.check(
                    new TestHost(), type, new QpAttr().portNum(1), from, attr, mask));
    assertFalse(e.remedy().isBlank(), "a remedy is given");
    return e.errno();
  }

  @Test
  void refusesAPrivilegedQkeyWithEperm() {
    QpAttr attr = datagramInit().qkey(0x8000_0001);
    assertEquals(Errno.EPERM, errno(QpType.UD, QpState.RESET, attr, attr.mask()));
  }

  @Test
  void refusesUnknownMaskBitsWithEopnotsupp() {
    for (int bit = 21; bit < 32; bit++) {
      QpAttr attr = init();
      assertEquals(Errno.EOPNOTSUPP, errno(QpType.RC, QpState.RESET, attr, attr.mask() | 1 << bit));
    }
  }

  @Test
  void takesEveryValueAtItsEdge() {
    check(QpState.RESET, init());
    check(
        QpState.INIT,
        rtr()
            .pathMtu(Mtu.MTU_4096)
            .destQpNum(0xffffff)
            .rqPsn(-1)
            .maxDestRdAtomic(128)
            .minRnrTimer(31));
    check(QpState.INIT, rtr().maxDestRdAtomic(0).minRnrTimer(0).destQpNum(0));
    check(QpState.RTR, rts().timeout(31).retryCnt(7).rnrRetry(7).maxRdAtomic(128).sqPsn(-1));
    check(QpState.RTR, rts().timeout(0).retryCnt(0).rnrRetry(0).maxRdAtomic(0));
    check(QpState.RTR, rts().curQpState(QpState.RTR));
    check(QpState.RTS, new QpAttr().minRnrTimer(3));
    check(QpState.RTS, new QpAttr().pathMigState(MigState.ARMED));
  }

  @Test
  void looksAtNoValueThatTheMaskDoesNotName() {
    QpAttr attr = new QpAttr().timeout(32).qkey(0x8000_0001).minRnrTimer(3);
    int mask = QpAttrMask.MIN_RNR_TIMER;
    QpState to =
        QpAttributes.check(
            new TestHost(), QpType.RC, new QpAttr().portNum(1), QpState.RTS, attr, mask);
    assertEquals(QpState.RTS, to);
  }

  private static void check(QpState from, QpAttr attr) {
    QpState to =
        QpAttributes.check(
            new TestHost(), QpType.RC, new QpAttr().portNum(1), from, attr, attr.mask());
    assertEquals((attr.mask() & QpAttrMask.STATE) != 0 ? attr.qpState() : from, to);
  }

  private static String remedy(QpState from, QpAttr attr) {
    VerbsException e =
        assertThrows(
            VerbsException.class,
            () ->
                QpAttributes.check(
                    new TestHost(), QpType.RC, new QpAttr().portNum(1), from, attr, attr.mask()));
    return e.remedy();
  }

  @Test
  void saysWhatIsMissingAndWhatIsTooMuch() {
    QpAttr attr = new QpAttr().qpState(QpState.INIT).portNum(1);
    assertEquals(
        "RC from RESET to INIT needs qpAccessFlags, pkeyIndex", remedy(QpState.RESET, attr));
    assertEquals(
        "RC from RESET to INIT needs qpAccessFlags, pkeyIndex and does not take qkey",
        remedy(QpState.RESET, attr.qkey(5)));
    assertEquals("RC from RESET to INIT does not take qkey", remedy(QpState.RESET, init().qkey(5)));
    assertEquals(
        "RC from RTS to RTS does not take qkey",
        remedy(QpState.RTS, new QpAttr().qpState(QpState.RTS).qkey(5)));
    assertEquals(
        "RC from RTR to RTS does not take qkey",
        remedy(QpState.RTR, rts().qkey(5).qpAccessFlags(0)),
        "what it may be given is not complained of");
    assertEquals(
        "RC from RESET to RTS is no transition of a queue pair", remedy(QpState.RESET, rts()));
  }

  @Test
  void refusesRateLimitsWithEopnotsupp() {
    QpAttr attr = rts();
    int mask = attr.mask() | QpAttrMask.RATE_LIMIT;
    assertEquals(Errno.EOPNOTSUPP, errno(QpType.RC, QpState.RTR, attr, mask));
  }
}
