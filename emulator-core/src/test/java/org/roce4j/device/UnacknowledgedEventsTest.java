package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Progress;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;
import org.roce4j.wire.Opcode;

/**
 * An object with a delivered event is destroyed when the event is acknowledged, or at once if the
 * device has failed, because then no acknowledgement is expected.
 */
class UnacknowledgedEventsTest {
  private final Device device =
      LoneEngine.device(PlayedPeer.HERE, Mtu.MTU_1024, DeviceLimits.DEFAULT);
  private final Context context;
  private final ProtectionDomain pd;
  private CompletionChannel channel;

  UnacknowledgedEventsTest() {
    device.attach(PortControl.NONE, new Impatient());
    context = EmulatedContext.open(device, () -> {});
    pd = context.allocPd();
  }

  /** The actions of other threads while a thread waits; null: none. */
  private Runnable meanwhile;

  /** A device on which nothing else happens while a thread waits. */
  private final class Impatient extends Progress.Idle {
    @Override
    public boolean await(BooleanSupplier condition, long timeoutNs) {
      if (meanwhile != null) {
        assertFalse(condition.getAsBoolean(), "an event is not acknowledged");
        meanwhile.run();
      }
      if (timeoutNs > 0 && !condition.getAsBoolean()) {
        throw new VerbsException(Errno.ETIMEDOUT, "it would wait for ever");
      }
      return condition.getAsBoolean();
    }
  }

  @AfterEach
  void close() {
    context.close();
  }

  /**
   * An object with a waiting event.
   *
   * @param take delivers the event and returns its acknowledgement
   */
  private record Told(AutoCloseable object, Supplier<Runnable> take) {}

  private interface Case {
    Told make(UnacknowledgedEventsTest test);
  }

  static Stream<Arguments> objects() {
    return Stream.of(
        Arguments.of("completion queue, completion", (Case) test -> test.completion()),
        Arguments.of("completion queue, overflow", (Case) test -> test.overflow()),
        Arguments.of("queue pair", (Case) test -> test.lastReceive()),
        Arguments.of("shared receive queue", (Case) test -> test.limit()),
        Arguments.of("shared receive queue of XRC", (Case) test -> test.extendedLimit()),
        Arguments.of("target of XRC", (Case) test -> test.target()));
  }

  private QueuePair queuePair(CompletionQueue cq, SharedReceiveQueue srq) {
    int receives = srq == null ? 8 : 0;
    QueuePair qp =
        pd.createQp(
            new QpInitAttr().cq(cq).srq(srq).cap(new QpCapabilities(4, receives, 1, receives)));
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024));
    return qp;
  }

  /** Flushes receive requests into a completion queue. */
  private void flush(CompletionQueue cq, int requests) {
    QueuePair qp = queuePair(cq, null);
    for (int i = 0; i < requests; i++) {
      assertEquals(0, qp.postRecv(new RecvRequestList(1, 0).add()));
    }
    qp.modify(new QpAttr().qpState(QpState.ERR));
    device.engine(0).pollTransmit(0, new Transmit(ByteBuffer.allocateDirect(4096), 1));
    qp.close();
  }

  private Runnable taken(EventType expected) {
    AsyncEvent event = context.pollAsyncEvent();
    assertEquals(expected, event.type());
    List<Object> concerns = new ArrayList<>(Arrays.asList(event.qp(), event.cq(), event.srq()));
    concerns.removeIf(Objects::isNull);
    assertEquals(1, concerns.size(), () -> expected + " is about " + concerns);
    assertEquals(0, event.portNum());
    return event::ack;
  }

  private Told extendedLimit() {
    SharedReceiveQueue srq =
        context.createSrq(
            new SrqInitAttrEx()
                .srqType(SrqType.XRC)
                .pd(pd)
                .xrcd(context.openXrcd(new XrcdInitAttr()))
                .cq(context.createCq(2))
                .maxWr(4)
                .maxSge(1));
    srq.modify(new SrqAttr(0, 0, 1), SrqAttrMask.LIMIT); // it is empty already
    return new Told(srq, () -> taken(EventType.SRQ_LIMIT_REACHED));
  }

  private Told target() {
    XrcDomain xrcd = context.openXrcd(new XrcdInitAttr());
    QueuePair target = context.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd));
    ((EmulatedXrcTarget) target).raise(device.engine(0), EventType.QP_FATAL);
    return new Told(target, () -> taken(EventType.QP_FATAL));
  }

  private Told completion() {
    channel = context.createCompletionChannel();
    CompletionQueue cq = context.createCq(2, null, channel, 0);
    cq.requestNotification(false);
    flush(cq, 1);
    return new Told(
        cq,
        () -> {
          assertEquals(cq, channel.getCqEvent());
          return () -> cq.ackEvents(1);
        });
  }

  private Told overflow() {
    CompletionQueue cq = context.createCq(2);
    flush(cq, cq.cqe() + 1);
    return new Told(cq, () -> taken(EventType.CQ_ERR));
  }

  private Told lastReceive() {
    QueuePair qp = queuePair(context.createCq(2), pd.createSrq(new SrqInitAttr(4, 1)));
    qp.modify(new QpAttr().qpState(QpState.ERR));
    return new Told(qp, () -> taken(EventType.QP_LAST_WQE_REACHED));
  }

  private Told limit() {
    SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(4, 1));
    QueuePair qp = queuePair(context.createCq(2), srq);
    assertEquals(0, srq.postRecv(new RecvRequestList(1, 0).add()));
    srq.modify(new SrqAttr(0, 0, 1), SrqAttrMask.LIMIT);
    new PlayedPeer(device.engine(0), qp).says(0, Opcode.RC_SEND_ONLY, true, 0);
    qp.close();
    return new Told(srq, () -> taken(EventType.SRQ_LIMIT_REACHED));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("objects")
  void closeWaitsForTheAcknowledgement(String name, Case of) throws Exception {
    Told told = of.make(this);
    Runnable acknowledgement = told.take.get();
    refused(Errno.ETIMEDOUT, told.object::close);
    device.engine(0).takeEventful();
    acknowledgement.run();
    assertTrue(device.engine(0).takeEventful(), "who waits in close is woken");
    told.object.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("objects")
  void aContextThatClosesMeanwhileDestroysItAndEndsTheWait(String name, Case of) throws Exception {
    Told told = of.make(this);
    Runnable acknowledgement = told.take.get();
    List<Portrait> destroyed = new ArrayList<>();
    meanwhile =
        () -> {
          context.close();
          destroyed.add(Portrait.of(device));
        };
    told.object.close();
    assertEquals(
        List.of(),
        Portrait.of(device).differences(destroyed.getFirst(), Pattern.compile("nothing")));
    acknowledgement.run(); // harmless
  }

  /** The close is refused, and the object is as usable as before. */
  @Test
  void anObjectThatGetsAUserMeanwhileStays() throws Exception {
    Told told = completion();
    CompletionQueue cq = (CompletionQueue) told.object;
    Runnable acknowledgement = told.take.get();
    List<QueuePair> users = new ArrayList<>();
    meanwhile =
        () -> {
          acknowledgement.run();
          users.add(pd.createQp(LoneEngine.init(QpType.UC, cq)));
        };
    refused(Errno.EBUSY, cq::close);
    cq.requestNotification(false);
    users.getFirst().close();
    cq.close();
    channel.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("objects")
  void onADeviceThatHasFailedNothingIsWaitedFor(String name, Case of) throws Exception {
    Told told = of.make(this);
    Runnable acknowledgement = told.take.get();
    device.engine(0).fail(new AssertionError("a defect"));
    told.object.close();
    acknowledgement.run(); // harmless
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("objects")
  void anEventThatNobodyTookGoesWithItsObject(String name, Case of) throws Exception {
    Told told = of.make(this);
    told.object.close();
    assertNull(context.pollAsyncEvent());
    if (channel != null) {
      assertNull(channel.getCqEvent(0));
    }
  }
}
