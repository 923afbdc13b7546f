package org.roce4j.hardware.bindings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.hardware.bindings.Structures.IbvAhAttr;
import org.roce4j.hardware.bindings.Structures.IbvQpAttr;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttr;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttrEx;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.MigState;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpCreateFlags;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SrqAttr;

class QueueStructuresTest {
  private static final AhAttr TO =
      new AhAttr(
          true,
          new GlobalRoute(Gid.parse("fd77::2"), 0xfffff, 255, 254, 253),
          0xffee,
          15,
          127,
          31,
          2);

  @Property(tries = 200)
  void anAddressVectorComesBackAsItWasWritten(
      @ForAll long high,
      @ForAll long low,
      @ForAll @IntRange(max = 0xfffff) int flowLabel,
      @ForAll @IntRange(max = 255) int octet,
      @ForAll @IntRange(max = 0xffff) int dlid,
      @ForAll @IntRange(min = 1, max = 255) int port) {
    AhAttr attr =
        new AhAttr(
            true,
            new GlobalRoute(new Gid(high, low), flowLabel, octet, 255 - octet, octet ^ 0x55),
            dlid,
            octet,
            octet,
            octet,
            port);
    try (Frame frame = new Frame()) {
      assertEquals(
          attr, QueueStructures.addressVector(QueueStructures.addressVector(frame, attr), 0));
    }
  }

  @Test
  void withoutAGlobalRouteThereIsNone() {
    AhAttr local = new AhAttr(false, null, 7, 0, 0, 0, 1);
    try (Frame frame = new Frame()) {
      MemorySegment structure = QueueStructures.addressVector(frame, local);
      assertEquals(0, Memory.u8(structure, IbvAhAttr.IS_GLOBAL));
      assertNull(QueueStructures.addressVector(structure, 0).grh());
    }
  }

  @Test
  void theDestinationLiesInNetworkOrder() {
    try (Frame frame = new Frame()) {
      MemorySegment structure = QueueStructures.addressVector(frame, TO);
      assertEquals(0xfd, Memory.u8(structure, IbvAhAttr.DGID));
      assertEquals(0x77, Memory.u8(structure, IbvAhAttr.DGID + 1));
      assertEquals(2, Memory.u8(structure, IbvAhAttr.DGID + 15));
    }
  }

  @Test
  void attributesComeBackAsTheyWereWritten() {
    QpAttr attr =
        new QpAttr()
            .qpState(QpState.RTR)
            .curQpState(QpState.INIT)
            .pathMtu(Mtu.MTU_4096)
            .pathMigState(MigState.REARM)
            .cap(new QpCapabilities(1, 2, 3, 4, 5))
            .ahAttr(TO)
            .altAhAttr(new AhAttr(false, null, 3, 0, 0, 0, 3))
            .qkey(0x8001_1111)
            .rqPsn(0xabcdef)
            .sqPsn(0xfedcba)
            .destQpNum(0x123456)
            .qpAccessFlags(15)
            .pkeyIndex(0xffff)
            .enSqdAsyncNotify(true)
            .maxRdAtomic(16)
            .maxDestRdAtomic(255)
            .minRnrTimer(31)
            .portNum(2)
            .timeout(14)
            .retryCnt(7)
            .rnrRetry(6)
            .altPkeyIndex(0xfffe)
            .altPortNum(3)
            .altTimeout(31)
            .rateLimit(0xffff_fffe);
    try (Frame frame = new Frame()) {
      QpAttr back = QueueStructures.attributes(QueueStructures.attributes(frame, attr));
      assertEquals(attr.qpState(), back.qpState());
      assertEquals(attr.curQpState(), back.curQpState());
      assertEquals(attr.pathMtu(), back.pathMtu());
      assertEquals(attr.pathMigState(), back.pathMigState());
      assertEquals(attr.cap(), back.cap());
      assertEquals(attr.ahAttr(), back.ahAttr());
      assertEquals(attr.altAhAttr(), back.altAhAttr());
      assertEquals(attr.qkey(), back.qkey());
      assertEquals(attr.rqPsn(), back.rqPsn());
      assertEquals(attr.sqPsn(), back.sqPsn());
      assertEquals(attr.destQpNum(), back.destQpNum());
      assertEquals(attr.qpAccessFlags(), back.qpAccessFlags());
      assertEquals(attr.pkeyIndex(), back.pkeyIndex());
      assertEquals(attr.altPkeyIndex(), back.altPkeyIndex());
      assertEquals(attr.altPortNum(), back.altPortNum());
      assertEquals(attr.altTimeout(), back.altTimeout());
      assertEquals(attr.rateLimit(), back.rateLimit());
      assertEquals(attr.enSqdAsyncNotify(), back.enSqdAsyncNotify());
      assertEquals(attr.maxRdAtomic(), back.maxRdAtomic());
      assertEquals(attr.maxDestRdAtomic(), back.maxDestRdAtomic());
      assertEquals(attr.minRnrTimer(), back.minRnrTimer());
      assertEquals(attr.portNum(), back.portNum());
      assertEquals(attr.timeout(), back.timeout());
      assertEquals(attr.retryCnt(), back.retryCnt());
      assertEquals(attr.rnrRetry(), back.rnrRetry());
    }
  }

  @Test
  void whatWasNotSetIsZero() {
    try (Frame frame = new Frame()) {
      MemorySegment structure = QueueStructures.attributes(frame, new QpAttr());
      assertEquals(-1, structure.mismatch(frame.structure(IbvQpAttr.SIZE)));
    }
  }

  @Test
  void aQueuePairIsAskedForWithTheAddressesOfItsParts() {
    QpInitAttr attr =
        new QpInitAttr()
            .qpType(QpType.UD)
            .sqSigAll(true)
            .cap(new QpCapabilities(10, 11, 12, 13, 14))
            .createFlags(QpCreateFlags.BLOCK_SELF_MCAST_LB)
            .sourceQpn(0x123456);
    try (Frame frame = new Frame()) {
      MemorySegment s = QueueStructures.queuePair(frame, attr, 0x1000, 0x2000, 0x3000, 0x4000);
      assertEquals(0x1000, Memory.i64(s, IbvQpInitAttrEx.PD));
      assertEquals(0x2000, Memory.i64(s, IbvQpInitAttr.SEND_CQ));
      assertEquals(0x3000, Memory.i64(s, IbvQpInitAttr.RECV_CQ));
      assertEquals(0x4000, Memory.i64(s, IbvQpInitAttr.SRQ));
      assertEquals(4, Memory.i32(s, IbvQpInitAttr.QP_TYPE));
      assertEquals(1, Memory.i32(s, IbvQpInitAttr.SQ_SIG_ALL));
      assertEquals(2, Memory.i32(s, IbvQpInitAttrEx.CREATE_FLAGS));
      assertEquals(0x123456, Memory.i32(s, IbvQpInitAttrEx.SOURCE_QPN));
      assertEquals(attr.cap(), QueueStructures.granted(s));
    }
  }

  @Test
  void theSizesOfASharedReceiveQueueComeBack() {
    SrqAttr attr = new SrqAttr(100, 3, 17);
    try (Frame frame = new Frame()) {
      assertEquals(
          attr,
          QueueStructures.sharedReceiveQueueAttr(
              QueueStructures.sharedReceiveQueueAttr(frame, attr)));
    }
  }

  /** An attribute, and the fields of C that only this attribute changes. */
  enum Attribute {
    STATE(a -> a.qpState(QpState.RTS), "QP_STATE"),
    CURRENT(a -> a.curQpState(QpState.RTS), "CUR_QP_STATE"),
    MTU(a -> a.pathMtu(Mtu.MTU_4096), "PATH_MTU"),
    MIGRATION(a -> a.pathMigState(MigState.REARM), "PATH_MIG_STATE"),
    QKEY(a -> a.qkey(77), "QKEY"),
    RQ_PSN(a -> a.rqPsn(77), "RQ_PSN"),
    SQ_PSN(a -> a.sqPsn(77), "SQ_PSN"),
    DESTINATION(a -> a.destQpNum(77), "DEST_QP_NUM"),
    ACCESS(a -> a.qpAccessFlags(77), "QP_ACCESS_FLAGS"),
    CAP(a -> a.cap(new QpCapabilities(1, 2, 3, 4, 5)), "CAP"),
    PATH(a -> a.ahAttr(TO), "AH_ATTR"),
    ALTERNATE(a -> a.altAhAttr(TO), "ALT_AH_ATTR"),
    ALTERNATE_PKEY(a -> a.altPkeyIndex(77), "ALT_PKEY_INDEX"),
    ALTERNATE_PORT(a -> a.altPortNum(77), "ALT_PORT_NUM"),
    ALTERNATE_TIMEOUT(a -> a.altTimeout(77), "ALT_TIMEOUT"),
    RATE(a -> a.rateLimit(77), "RATE_LIMIT"),
    PKEY(a -> a.pkeyIndex(77), "PKEY_INDEX"),
    DRAINED(a -> a.enSqdAsyncNotify(true), "EN_SQD_ASYNC_NOTIFY"),
    READS(a -> a.maxRdAtomic(77), "MAX_RD_ATOMIC"),
    ANSWERS(a -> a.maxDestRdAtomic(77), "MAX_DEST_RD_ATOMIC"),
    RNR_TIMER(a -> a.minRnrTimer(77), "MIN_RNR_TIMER"),
    PORT(a -> a.portNum(77), "PORT_NUM"),
    TIMEOUT(a -> a.timeout(77), "TIMEOUT"),
    RETRIES(a -> a.retryCnt(77), "RETRY_CNT"),
    RNR_RETRIES(a -> a.rnrRetry(77), "RNR_RETRY");

    private final UnaryOperator<QpAttr> set;
    private final Set<String> fields;

    Attribute(UnaryOperator<QpAttr> set, String... fields) {
      this.set = set;
      this.fields = Set.of(fields);
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAttributeChangesItsFieldsAndNoOther(Attribute attribute) throws IllegalAccessException {
    try (Frame frame = new Frame()) {
      MemorySegment before = QueueStructures.attributes(frame, new QpAttr());
      MemorySegment after = QueueStructures.attributes(frame, attribute.set.apply(new QpAttr()));
      assertEquals(attribute.fields, differences(before, after));
    }
  }

  /** The fields of {@code struct ibv_qp_attr} in which a byte differs. */
  private static Set<String> differences(MemorySegment one, MemorySegment other)
      throws IllegalAccessException {
    TreeMap<Integer, String> fields = new TreeMap<>();
    for (Field field : IbvQpAttr.class.getFields()) {
      fields.put(field.getInt(null), field.getName());
    }
    Set<String> different = new TreeSet<>();
    for (int at = 0; at < IbvQpAttr.SIZE; at++) {
      if (one.get(ValueLayout.JAVA_BYTE, at) != other.get(ValueLayout.JAVA_BYTE, at)) {
        different.add(fields.floorEntry(at).getValue());
      }
    }
    return different;
  }
}
