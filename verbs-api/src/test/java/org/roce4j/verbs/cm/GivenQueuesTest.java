package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** Objects that the program gives for an id's queues are used, and the others are the library's. */
class GivenQueuesTest {
  private static final InetSocketAddress THERE = new InetSocketAddress("127.0.0.1", 7471);

  private final LoopbackProvider provider = new LoopbackProvider();
  private final Context context = provider.context;
  private final RdmaCm cm = RdmaCm.open(context);
  private final EventChannel channel = cm.createEventChannel();
  private final ProtectionDomain pd = context.allocPd();
  private final CompletionQueue cq = cq();
  private final XrcDomain xrcd = context.openXrcd(new XrcdInitAttr());

  @AfterEach
  void close() {
    cm.close();
    assertEquals(List.of(pd.toString(), cq.toString(), xrcd.toString()), provider.verbs.open);
  }

  private CompletionQueue cq() {
    return context.createCq(7, null, null, 0);
  }

  private CmId resolved(QpType type) {
    CmId id = channel.createId(PortSpace.TCP, type, null);
    id.resolveAddr(null, THERE, 2000);
    channel.getCmEvent(0).ack();
    return id;
  }

  private static QpInitAttr of(QpType type) {
    return new QpInitAttr().qpType(type);
  }

  private static SrqInitAttrEx extended() {
    return new SrqInitAttrEx().srqType(SrqType.XRC).maxWr(4).maxSge(1);
  }

  private String lastQp() {
    return provider.verbs.calls.stream().filter(c -> c.startsWith("createQp")).toList().getLast();
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, false", "true, false, false", "false, true, false", "true, true, false",
    "false, false, true", "true, false, true", "false, true, true", "true, true, true"
  })
  void queuesOfAQueuePair(boolean send, boolean receive, boolean shared) {
    SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(4, 1));
    CmId id = resolved(QpType.RC);
    List<String> before = new ArrayList<>(provider.verbs.open);
    QpInitAttr attr = of(QpType.RC);
    attr.sendCq(send ? cq : null).recvCq(receive ? cq : null).srq(shared ? srq : null);
    id.createQp(pd, attr);
    assertEquals(send, id.sendCq() == null);
    assertEquals(send, id.sendCqChannel() == null);
    assertEquals(receive, id.recvCq() == null);
    assertEquals(receive, id.recvCqChannel() == null);
    assertEquals(
        "createQp sendCq %s, recvCq %s, srq %s"
            .formatted(send ? cq : id.sendCq(), receive ? cq : id.recvCq(), shared ? srq : null),
        lastQp());
    assertNull(send ? null : attr.sendCq(), "the program's attributes");
    id.destroyQp();
    assertEquals(before, provider.verbs.open);
    srq.close();
  }

  @Test
  void sharedQueueOfTheIdOrTheProgramsOwn() {
    SharedReceiveQueue others = pd.createSrq(new SrqInitAttr(4, 1));
    CmId id = resolved(QpType.RC);
    id.createSrq(null, new SrqInitAttr(4, 1));
    String told =
        refused(Errno.EINVAL, () -> id.createQp(null, of(QpType.RC).srq(others))).remedy();
    assertTrue(told.startsWith("srq is not the id's own"), told);
    id.createQp(null, of(QpType.RC).srq(id.srq()));
    assertSame(id.srq(), id.qp().srq());
    id.destroyQp();
    id.createQp(null, of(QpType.RC));
    assertSame(id.srq(), id.qp().srq());
    id.destroySrq();
    assertNotNull(id.sendCq(), "the queue pair is there");
    others.close();
  }

  /** A completion queue that refused to be closed is the id's own. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void completionQueueThatStayed(boolean send) {
    CmId id = resolved(QpType.RC);
    QpInitAttr attr = send ? of(QpType.RC).recvCq(cq) : of(QpType.RC).sendCq(cq);
    id.createQp(pd, attr);
    CompletionQueue kept = send ? id.sendCq() : id.recvCq();
    provider.verbs.busy = kept.toString();
    refused(Errno.EBUSY, id::destroyQp);
    provider.verbs.busy = null;
    assertNull(id.qp());
    QpInitAttr other = of(QpType.RC).cq(cq);
    String told = refused(Errno.EINVAL, () -> id.createQp(pd, other)).remedy();
    assertTrue(told.startsWith((send ? "sendCq" : "recvCq") + " is not the id's own"), told);
    id.createQp(pd, attr);
    assertSame(kept, send ? id.sendCq() : id.recvCq(), "no second one");
  }

  /** The domain that was given once is that of the id. */
  @ParameterizedTest
  @EnumSource(
      value = QpType.class,
      names = {"RC", "XRC_SEND"})
  void domainOfTheFirstQueue(QpType type) {
    CmId id = resolved(type);
    ProtectionDomain usual = id.pd();
    assertNotNull(usual);
    id.createQp(null, of(type));
    assertSame(usual, id.pd());
    id.destroyQp();
    id.createQp(pd, of(type));
    assertSame(pd, id.pd());
    id.destroyQp();
    id.createQp(null, of(type));
    assertEquals(
        List.of(usual + " QP of null", pd + " QP of null", pd + " QP of null"),
        provider.verbs.origins);
    assertEquals(type == QpType.XRC_SEND, id.recvCq() == null);
  }

  @Test
  void domainOfTheSharedQueue() {
    CmId id = resolved(QpType.RC);
    id.createSrq(pd, new SrqInitAttr(4, 1));
    assertSame(pd, id.pd());
    id.createQp(null, of(QpType.RC));
    assertEquals(List.of(pd + " SRQ", pd + " QP of null"), provider.verbs.origins);
    CmId plain = resolved(QpType.RC);
    plain.createSrq(extended().srqType(SrqType.BASIC).pd(pd));
    assertSame(pd, plain.pd());
    assertEquals(pd + " SRQ", provider.verbs.origins.getLast());
    for (CmId each : List.of(id, plain)) {
      refusedTwice(() -> each.createSrq(null, new SrqInitAttr(4, 1)));
      refusedTwice(() -> each.createSrq(extended()));
    }
  }

  private static void refusedTwice(Runnable call) {
    String told = refused(Errno.EINVAL, call::run).remedy();
    assertTrue(told.endsWith("has a shared receive queue: destroy it first"), told);
  }

  @Test
  void domainOfAnotherContext() {
    ProtectionDomain foreign = new LoopbackProvider().context.allocPd();
    CmId id = resolved(QpType.RC);
    List<Runnable> calls =
        List.of(
            () -> id.createQp(foreign, of(QpType.RC)),
            () -> id.createSrq(foreign, new SrqInitAttr(4, 1)),
            () -> id.createSrq(extended().pd(foreign)));
    for (Runnable call : calls) {
      String told = refused(Errno.EINVAL, call::run).remedy();
      assertTrue(told.startsWith("pd belongs to another context"), told);
    }
    assertEquals(List.of(), provider.verbs.origins);
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, false", "true, false, false", "false, true, false", "true, true, false",
    "false, false, true", "true, false, true", "false, true, true", "true, true, true"
  })
  void queueOfAnExtendedConnection(boolean domain, boolean extension, boolean completions) {
    CmId id = resolved(QpType.XRC_RECV);
    SrqInitAttrEx attr =
        extended().pd(domain ? pd : null).xrcd(extension ? xrcd : null).cq(completions ? cq : null);
    id.createSrq(attr);
    assertEquals(domain, id.pd() == pd);
    assertEquals(completions, id.recvCq() == null);
    XrcDomain used = extension ? xrcd : cm.defaultXrcd(context);
    CompletionQueue told = completions ? cq : id.recvCq();
    assertEquals(
        List.of("context SRQ XRC of %s, %s, %s".formatted(id.pd(), used, told)),
        provider.verbs.origins);
    QpInitAttr target = of(QpType.XRC_RECV).xrcd(extension ? xrcd : null);
    id.createQp(null, target);
    assertEquals("context QP of " + used, provider.verbs.origins.getLast());
    assertSame(extension ? xrcd : null, target.xrcd(), "the program's attributes");
    assertEquals(domain, id.pd() == pd, "a target has no domain of its own");
    assertNull(id.sendCq());
  }

  /** The device says whether it has such a queue; it is given no other in its place. */
  @ParameterizedTest
  @EnumSource(
      value = SrqType.class,
      names = {"XRC", "TM"})
  void typeOfTheSharedQueue(SrqType type) {
    CmId id = resolved(QpType.XRC_RECV);
    id.createSrq(extended().srqType(type).pd(pd).xrcd(xrcd).cq(cq));
    assertEquals(
        List.of("context SRQ %s of %s, %s, %s".formatted(type, pd, xrcd, cq)),
        provider.verbs.origins);
  }

  /** Receives of that queue complete in a queue of the program, so the library's goes at once. */
  @Test
  void completionsThatAreNotOfTheSharedQueue() {
    CmId id = resolved(QpType.RC);
    id.createSrq(extended().cq(cq));
    id.createQp(null, of(QpType.RC));
    assertNotNull(id.recvCq());
    id.destroyQp();
    assertNull(id.recvCq());
  }

  /** A device whose queue of the extended connection fails, beside a queue pair of its own. */
  @Test
  void completionsOfTheQueuePairStayWhereASharedQueueIsRefused() {
    CmId id = resolved(QpType.RC);
    id.createQp(null, of(QpType.RC));
    List<String> before = List.copyOf(provider.verbs.open);
    provider.verbs.failIn = 1;
    refused(Errno.ENOMEM, () -> id.createSrq(extended().pd(pd).xrcd(xrcd)));
    assertEquals(before, provider.verbs.open);
    assertNotNull(id.sendCq());
  }

  @Test
  void completionsOfASharedQueueGoWithIt() {
    CmId id = resolved(QpType.RC);
    List<String> before = List.copyOf(provider.verbs.open);
    id.createSrq(extended().pd(pd).xrcd(xrcd));
    assertNotNull(id.recvCq());
    id.destroySrq();
    assertNull(id.recvCq());
    assertEquals(before, provider.verbs.open);
  }

  @Test
  void targetHasNoDomain() {
    List<String> before = List.copyOf(provider.verbs.open);
    CmId id = resolved(QpType.XRC_RECV);
    id.createQp(null, of(QpType.XRC_RECV).xrcd(xrcd));
    assertEquals(before.size() + 1, provider.verbs.open.size(), "a queue pair and nothing else");
  }

  /** A completion queue has an entry even for a queue without requests. */
  @Test
  void sizesOfWhatTheLibraryMakes() {
    CmId id = resolved(QpType.RC);
    id.createQp(pd, of(QpType.RC).cap(new QpCapabilities(5, 6, 1, 1)));
    assertTrue(id.sendCq().toString().startsWith("CQ of 5 "));
    assertTrue(id.recvCq().toString().startsWith("CQ of 6 "));
    id.destroyQp();
    id.createQp(pd, of(QpType.RC).cap(new QpCapabilities(0, 0, 1, 1)));
    assertTrue(id.sendCq().toString().startsWith("CQ of 1 "));
    id.destroyQp();
    Object context = "the program's";
    id.createSrq(extended().srqType(SrqType.BASIC).maxWr(7).maxSge(3).userContext(context).pd(pd));
    assertEquals(new SrqInitAttr(context, 7, 3, 0), provider.verbs.srqs.getLast());
  }
}
