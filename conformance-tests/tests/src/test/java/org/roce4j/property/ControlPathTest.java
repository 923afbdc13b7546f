package org.roce4j.property;

import java.lang.foreign.Arena;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.ShrinkingMode;
import org.roce4j.conformance.backend.Backend;
import org.roce4j.conformance.backend.FabricBackend;
import org.roce4j.conformance.backend.Link;
import org.roce4j.property.ObjectGraph.Kind;
import org.roce4j.property.ObjectGraph.Node;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** The control path against a model of the object graph. */
class ControlPathTest {
  private static final QpType[] SERVICES = {QpType.RC, QpType.UC, QpType.UD};

  /**
   * A step of a test.
   *
   * @param create kind of the object to create; null destroys one
   * @param first chooses among the existing objects, like the others
   */
  record Step(Kind create, int first, int second, int third) {}

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Integer> choice = Arbitraries.integers().between(0, 1000);
    Arbitrary<Kind> kind = Arbitraries.of(Kind.class).injectNull(0.4);
    return Combinators.combine(kind, choice, choice, choice)
        .as(Step::new)
        .list()
        .ofMaxSize(120)
        .withSizeDistribution(RandomDistribution.uniform());
  }

  @Property(tries = 300, shrinking = ShrinkingMode.BOUNDED)
  void anObjectCanBeDestroyedExactlyWhenNothingUsesIt(@ForAll("steps") List<Step> steps) {
    try (Backend backend = new FabricBackend(1);
        Link link = backend.open();
        Arena arena = Arena.ofShared()) {
      ObjectGraph graph = new ObjectGraph();
      for (Step step : steps) {
        if (step.create() != null) {
          create(graph, link, arena, step);
        } else if (graph.pick(step.first()) != null) {
          graph.destroy(graph.pick(step.first()));
        }
      }
      graph.destroyAll();
    }
  }

  private static void create(ObjectGraph graph, Link link, Arena arena, Step step) {
    Context context = link.near();
    Node pd = graph.pick(Kind.PD, step.first());
    switch (step.create()) {
      case PD -> graph.create(Kind.PD, context::allocPd);
      case CHANNEL -> graph.create(Kind.CHANNEL, context::createCompletionChannel);
      case CQ -> {
        Node channel = step.second() % 2 == 0 ? null : graph.pick(Kind.CHANNEL, step.first());
        if (channel == null) {
          graph.create(Kind.CQ, () -> context.createCq(4));
        } else {
          CompletionChannel handle = (CompletionChannel) channel.handle;
          graph.create(Kind.CQ, () -> context.createCq(4, null, handle, 0), channel);
        }
      }
      case MR ->
          graph.create(
              Kind.MR,
              () -> domain(pd).registerMemory(arena.allocate(64), AccessFlags.LOCAL_WRITE),
              pd);
      case MW -> {
        MwType type = MwType.values()[step.second() % 2];
        graph.create(Kind.MW, () -> domain(pd).allocMemoryWindow(type), pd);
      }
      case AH ->
          graph.create(Kind.AH, () -> domain(pd).createAh(AhAttr.roce(link.farAddress(), 0)), pd);
      case SRQ -> graph.create(Kind.SRQ, () -> domain(pd).createSrq(new SrqInitAttr(4, 1)), pd);
      case QP -> createQp(graph, pd, step);
      case XRCD -> graph.create(Kind.XRCD, () -> context.openXrcd(new XrcdInitAttr()));
      case XRC_SRQ, XRC_TARGET, XRC_OPENED -> createExtended(graph, context, pd, step);
    }
  }

  private static void createQp(ObjectGraph graph, Node pd, Step step) {
    Node send = graph.pick(Kind.CQ, step.second());
    Node receive = graph.pick(Kind.CQ, step.third());
    Node srq = step.third() % 3 == 0 ? graph.pick(Kind.SRQ, step.second()) : null;
    if (send == null) {
      return;
    }
    if (step.second() % 4 == 0) {
      QpInitAttr initiator =
          new QpInitAttr()
              .qpType(QpType.XRC_SEND)
              .sendCq((CompletionQueue) send.handle)
              .cap(new QpCapabilities(1, 0, 1, 0));
      graph.create(Kind.QP, () -> domain(pd).createQp(initiator), pd, send);
      return;
    }
    QpInitAttr attr =
        new QpInitAttr()
            .qpType(SERVICES[step.first() % SERVICES.length])
            .sendCq((CompletionQueue) send.handle)
            .recvCq((CompletionQueue) receive.handle)
            .cap(new QpCapabilities(1, 1, 1, 1));
    if (srq == null) {
      graph.create(Kind.QP, () -> domain(pd).createQp(attr), pd, send, receive);
    } else {
      attr.srq((SharedReceiveQueue) srq.handle);
      graph.create(Kind.QP, () -> domain(pd).createQp(attr), pd, send, receive, srq);
    }
  }

  private static void createExtended(ObjectGraph graph, Context context, Node pd, Step step) {
    Node cq = graph.pick(Kind.CQ, step.second());
    Node domain = graph.pick(Kind.XRCD, step.third());
    Node target = graph.pick(Kind.XRC_TARGET, step.first());
    switch (step.create()) {
      case XRC_SRQ ->
          graph.create(
              Kind.XRC_SRQ,
              () ->
                  context.createSrq(
                      new SrqInitAttrEx()
                          .srqType(SrqType.XRC)
                          .pd(domain(pd))
                          .xrcd((XrcDomain) domain.handle)
                          .cq((CompletionQueue) cq.handle)),
              pd,
              domain,
              cq);
      case XRC_TARGET ->
          graph.create(
              Kind.XRC_TARGET,
              () ->
                  context.createQp(
                      new QpInitAttr().qpType(QpType.XRC_RECV).xrcd((XrcDomain) domain.handle)),
              domain);
      default -> {
        if (target != null) {
          XrcDomain its = (XrcDomain) target.uses().getFirst().handle;
          int number = ((QueuePair) target.handle).qpNum();
          graph.create(
              Kind.XRC_OPENED,
              () -> context.openQp(new QpOpenAttr(number, its)),
              target.uses().getFirst());
        }
      }
    }
  }

  private static ProtectionDomain domain(Node pd) {
    return (ProtectionDomain) pd.handle;
  }
}
