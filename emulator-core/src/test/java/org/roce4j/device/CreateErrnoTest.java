package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Limit;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpCreateFlags;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.ThreadDomain;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** The refusals of the verbs that create and query (verbs-tables 7). */
class CreateErrnoTest {
  private static final Gid GROUP = Gid.parse("239.1.2.3");

  private final Rig rig = new Rig();

  @AfterEach
  void close() {
    rig.close();
  }

  private static Arguments row(String what, Errno errno, Consumer<Rig> verb) {
    return Arguments.of(what, errno, verb);
  }

  private static Consumer<Rig> create(QpCapabilities cap) {
    return rig -> rig.pd.createQp(rig.init(QpType.RC).cap(cap));
  }

  static Stream<Arguments> rows() {
    return Stream.of(
        row("cap of null", Errno.EINVAL, create(null)),
        row(
            "parent domain with a destroyed thread domain",
            Errno.EINVAL,
            r -> {
              ThreadDomain td = r.context.allocTd();
              td.close();
              r.context.allocParentDomain(new ParentDomainInitAttr(r.pd, td));
            }),
        row(
            "parent domain with a thread domain of another context",
            Errno.EINVAL,
            r -> {
              try (Context other = r.context.device().open()) {
                r.context.allocParentDomain(new ParentDomainInitAttr(r.pd, other.allocTd()));
              }
            }),
        row("query_port of no port", Errno.EINVAL, r -> r.context.queryPort(2)),
        row("query_gid of no port", Errno.EINVAL, r -> r.context.queryGid(2, 0)),
        row("query_gid_ex of no port", Errno.EINVAL, r -> r.context.queryGidEx(0, 0)),
        row("query_pkey of no port", Errno.EINVAL, r -> r.context.queryPkey(2, 0)),
        row("query_pkey beyond", Errno.EINVAL, r -> r.context.queryPkey(1, 1)),
        row("get_pkey_index of no port", Errno.EINVAL, r -> r.context.pkeyIndex(2, 0xffff)),
        row("query_gid_ex of an empty entry", Errno.ENODATA, r -> r.context.queryGidEx(1, 1023)),
        row("query_gid_ex beyond", Errno.EINVAL, r -> r.context.queryGidEx(1, 1024)),
        row(
            "connected QP that is deaf to itself in groups",
            Errno.EINVAL,
            r -> r.pd.createQp(r.init(QpType.RC).createFlags(QpCreateFlags.BLOCK_SELF_MCAST_LB))),
        row(
            "QP with the source of another",
            Errno.EOPNOTSUPP,
            r ->
                r.pd.createQp(
                    r.init(QpType.UD).createFlags(QpCreateFlags.SOURCE_QPN).sourceQpn(5))),
        row(
            "attach_mcast of a connected QP",
            Errno.EINVAL,
            r -> r.create(QpType.RC).attachMulticast(GROUP)),
        row(
            "attach_mcast of an unreliable connected QP",
            Errno.EINVAL,
            r -> r.create(QpType.UC).attachMulticast(GROUP)),
        row(
            "attach_mcast to an address that is no group",
            Errno.EINVAL,
            r -> r.create(QpType.UD).attachMulticast(Rig.NOBODY)),
        row(
            "detach_mcast of a QP that is not attached",
            Errno.EINVAL,
            r -> r.create(QpType.UD).detachMulticast(GROUP)),
        row("open_qp of another type", Errno.EINVAL, r -> opensTargetAs(r, QpType.XRC_SEND)),
        row("open_qp of a type without a domain", Errno.EINVAL, r -> opensTargetAs(r, QpType.RC)),
        row(
            "QP with an unknown create flag",
            Errno.EOPNOTSUPP,
            r -> r.pd.createQp(r.init(QpType.UD).createFlags(1 << 30))));
  }

  private static void opensTargetAs(Rig r, QpType type) {
    XrcDomain xrcd = r.context.openXrcd(new XrcdInitAttr());
    QueuePair target = r.context.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd));
    r.context.openQp(new QpOpenAttr(target.qpNum(), xrcd, type, null));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("rows")
  void refusesWithThatErrno(String what, Errno errno, Consumer<Rig> verb) {
    VerbsException e = assertThrows(VerbsException.class, () -> verb.accept(rig));
    assertEquals(errno, e.errno());
  }

  private QueuePair created(QpType type, UnaryOperator<QpInitAttr> with) {
    if (type == QpType.XRC_RECV) {
      XrcDomain xrcd = rig.context.openXrcd(new XrcdInitAttr());
      return rig.context.createQp(with.apply(new QpInitAttr().qpType(type).xrcd(xrcd)));
    }
    return rig.pd.createQp(with.apply(rig.init(type)));
  }

  private void refused(Errno errno, QpType type, UnaryOperator<QpInitAttr> with) {
    VerbsException e = assertThrows(VerbsException.class, () -> created(type, with));
    assertEquals(errno, e.errno(), e::getMessage);
  }

  @ParameterizedTest
  @EnumSource(names = {"RC", "UC", "UD", "XRC_SEND", "XRC_RECV"})
  void aQueuePairOfAnyTypeIsRefusedWhatItsTypeDoesNotOffer(QpType type) {
    refused(Errno.EOPNOTSUPP, type, attr -> attr.createFlags(1 << 30));
    if (type == QpType.UD) {
      created(type, attr -> attr.createFlags(QpCreateFlags.BLOCK_SELF_MCAST_LB)).close();
    } else {
      refused(Errno.EINVAL, type, attr -> attr.createFlags(QpCreateFlags.BLOCK_SELF_MCAST_LB));
    }
    for (WrOpcode opcode : WrOpcode.values()) {
      long operation = SendOpsFlags.of(opcode);
      if (SendRule.supported(opcode, type)) {
        created(type, attr -> attr.sendOps(operation)).close();
      } else if (operation != 0) { // 0: no builder has it
        refused(Errno.EOPNOTSUPP, type, attr -> attr.sendOps(operation | SendOpsFlags.WITH_SEND));
      }
    }
  }

  private static QpCapabilities capabilities(int which, int value) {
    int[] all = {1, 1, 1, 1, 0};
    all[which] = value;
    return new QpCapabilities(all[0], all[1], all[2], all[3], all[4]);
  }

  @ParameterizedTest
  @EnumSource(names = {"RC", "UC", "UD", "XRC_SEND"})
  void theCapabilitiesOfAQueuePairAreWithinTheLimitsOfTheDevice(QpType type) {
    Limit[] limits = {
      Limit.MAX_QP_WR, Limit.MAX_QP_WR, Limit.MAX_SGE, Limit.MAX_SGE, Limit.MAX_INLINE_DATA
    };
    for (int which = 0; which < limits.length; which++) {
      int most = DeviceLimits.DEFAULT.get(limits[which]);
      int each = which;
      created(type, attr -> attr.cap(capabilities(each, most))).close();
      boolean receives = which == 1 || which == 3;
      for (int wrong : new int[] {Integer.MIN_VALUE, -1, most + 1, Integer.MAX_VALUE}) {
        if (receives && type == QpType.XRC_SEND) {
          created(type, attr -> attr.cap(capabilities(each, wrong))).close();
        } else {
          refused(Errno.EINVAL, type, attr -> attr.cap(capabilities(each, wrong)));
        }
      }
    }
  }

  @Test
  void aQueuePairTellsTheCapabilitiesThatItGot() {
    QpCapabilities asked = new QpCapabilities(4, 8, 2, 3, 16);
    assertEquals(asked, created(QpType.RC, attr -> attr.cap(asked)).query().cap());
    QpCapabilities sends = new QpCapabilities(4, 0, 2, 0, 16);
    assertEquals(sends, created(QpType.XRC_SEND, attr -> attr.cap(asked)).query().cap());
    SharedReceiveQueue srq = rig.pd.createSrq(new SrqInitAttr(4, 1));
    assertEquals(sends, created(QpType.RC, attr -> attr.cap(asked).srq(srq)).query().cap());
    QpCapabilities least = new QpCapabilities(0, 0, 0, 0, 0);
    QpCapabilities granted = created(QpType.UD, attr -> attr.cap(least)).query().cap();
    assertEquals(1, granted.maxSendSge());
    assertEquals(1, granted.maxRecvSge());
  }

  @ParameterizedTest
  @CsvSource({"1, 0, -1", "1, -1, 0", "-1, 0, 0", "0, 0, 1", "0, 1, 0", "1, 0, 65536"})
  void aRateIsRefusedWithWhatItDoesNotGoWith(int rate, int burst, int packet) {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    qp.modifyRateLimit(new QpRateLimitAttr(1, Integer.MAX_VALUE, 65535));
    Refusals.refused(
        Errno.EINVAL, () -> qp.modifyRateLimit(new QpRateLimitAttr(rate, burst, packet)));
  }

  /** With a shared receive queue its own receive capabilities are ignored, whatever they are. */
  @Test
  void aQueuePairWithASharedQueueHasNoReceivesOfItsOwn() {
    SharedReceiveQueue srq = rig.pd.createSrq(new SrqInitAttr(4, 1));
    for (int any : new int[] {-1, Integer.MAX_VALUE}) {
      created(QpType.RC, attr -> attr.cap(new QpCapabilities(1, any, 1, any, 0)).srq(srq)).close();
    }
    refused(Errno.EINVAL, QpType.XRC_SEND, attr -> attr.srq(srq));
    refused(Errno.EOPNOTSUPP, QpType.RAW_PACKET, attr -> attr);
  }

  @Test
  void aSharedQueueIsModifiedWithinItsBounds() {
    SharedReceiveQueue srq = rig.pd.createSrq(new SrqInitAttr(4, 1));
    for (int i = 0; i < 3; i++) {
      srq.postRecvOrThrow(rig.receive());
    }
    for (int wr : new int[] {Integer.MIN_VALUE, -1, 0, 1, 2, (1 << 14) + 1, Integer.MAX_VALUE}) {
      refused(srq, new SrqAttr(wr, 0, 0), SrqAttrMask.MAX_WR);
      refused(srq, new SrqAttr(wr, 0, 1), SrqAttrMask.LIMIT | SrqAttrMask.MAX_WR);
    }
    for (int limit : new int[] {Integer.MIN_VALUE, -1, 5, Integer.MAX_VALUE}) {
      refused(srq, new SrqAttr(0, 0, limit), SrqAttrMask.LIMIT);
      refused(srq, new SrqAttr(3, 0, limit), SrqAttrMask.LIMIT | SrqAttrMask.MAX_WR);
    }
    refused(srq, new SrqAttr(3, 0, 4), SrqAttrMask.LIMIT | SrqAttrMask.MAX_WR);
    for (int mask : new int[] {4, 5, 6, 7, -1}) {
      refused(srq, new SrqAttr(3, 0, 3), mask);
    }
    srq.modify(new SrqAttr(3, 0, 3), SrqAttrMask.LIMIT | SrqAttrMask.MAX_WR);
    assertEquals(new SrqAttr(3, 1, 3), srq.query());
  }

  @Test
  void creatingASharedQueueArmsNoLimitAndRefusesNone() {
    for (int limit : new int[] {-1, 1, 4, 5, Integer.MAX_VALUE}) {
      SharedReceiveQueue srq = rig.pd.createSrq(new SrqInitAttr(null, 4, 1, limit));
      assertEquals(new SrqAttr(4, 1, 0), srq.query(), "limit " + limit + " at creation");
    }
  }

  /** If one of two attributes is refused, neither is set. */
  private static void refused(SharedReceiveQueue srq, SrqAttr attr, int mask) {
    SrqAttr before = srq.query();
    VerbsException e = assertThrows(VerbsException.class, () -> srq.modify(attr, mask));
    assertEquals(Errno.EINVAL, e.errno(), attr::toString);
    assertEquals(before, srq.query(), () -> "after " + attr + " was refused");
  }
}
