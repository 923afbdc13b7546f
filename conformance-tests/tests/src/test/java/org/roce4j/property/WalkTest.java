package org.roce4j.property;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.LongRange;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.LinkModel;
import org.roce4j.property.LegModel.Promise;
import org.roce4j.verbs.QpType;

/**
 * Random walks of reliable, extended and unreliable connections and datagrams over several nodes,
 * against a model without packets: from port to port; with own or shared receive queues, which are
 * resized; through regions and windows; with requests as lists or built call by call, including
 * FLUSH and ATOMIC_WRITE; with completions copied or read in place. A failure prints its seed and
 * the shortest walk that was found.
 */
class WalkTest {
  private static final int MOST_LEGS = 6;
  private static final int MOST_STEPS = 30;
  private static final long PATIENCE_NS = 30_000_000_000L;

  @Provide
  Arbitrary<Walk> walks() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 4),
            Arbitraries.of(true, false),
            Arbitraries.of(true, false),
            legs().list().ofMinSize(1).ofMaxSize(MOST_LEGS),
            steps().list().ofMinSize(1).ofMaxSize(MOST_STEPS))
        .as(Walk::new);
  }

  private static Arbitrary<Walk.Leg> legs() {
    Arbitrary<Integer> node = Arbitraries.integers().between(0, 3);
    return Combinators.combine(
            Arbitraries.of(QpType.RC, QpType.UC, QpType.UD, QpType.XRC_SEND),
            node,
            node,
            Arbitraries.integers().between(0, 2),
            Arbitraries.integers().between(0, 3))
        .as(Walk.Leg::new);
  }

  private static Arbitrary<Walk.Step> steps() {
    Arbitrary<Boolean> flag = Arbitraries.of(true, false);
    Arbitrary<Integer> bytes =
        Arbitraries.frequencyOf(
            Tuple.of(3, Arbitraries.integers().between(0, 64)),
            Tuple.of(2, Arbitraries.of(255, 256, 257, 511, 512, 513, 1023, 1024)),
            Tuple.of(1, Arbitraries.integers().between(0, WalkLeg.MOST_BYTES)));
    Arbitrary<Integer> resizes =
        Arbitraries.frequencyOf(
            Tuple.of(9, Arbitraries.just(0)), Tuple.of(1, Arbitraries.integers().between(1, 200)));
    return Combinators.combine(
            Arbitraries.integers().between(0, MOST_LEGS - 1),
            Arbitraries.integers().between(0, 8),
            bytes,
            Arbitraries.integers().between(0, 100).list().ofMaxSize(3),
            flag,
            Arbitraries.frequency(Tuple.of(4, false), Tuple.of(1, true)),
            Arbitraries.frequency(Tuple.of(9, false), Tuple.of(1, true)),
            flag)
        .flatAs(
            (number, kind, size, cuts, signaled, fenced, solicited, inline) ->
                Combinators.combine(flag, flag, resizes)
                    .as(
                        (poll, built, resize) ->
                            new Walk.Step(
                                number, kind, size, cuts, signaled, fenced, solicited, inline, poll,
                                built, resize)));
  }

  @Property(tries = 150, shrinking = ShrinkingMode.BOUNDED)
  void everythingArrivesOnAQuietNetwork(@ForAll("walks") Walk walk) {
    try (Nodes nodes = Nodes.onFabric(FabricOptions.of(1), walk.nodes())) {
      walk(walk, nodes, Promise.ALL);
    }
  }

  @Property(tries = 100, shrinking = ShrinkingMode.BOUNDED)
  void whatArrivesIsWholeWhateverTheNetworkDoes(
      @ForAll("walks") Walk walk, @ForAll @LongRange(min = 1, max = 1_000_000) long seed) {
    LinkModel link =
        LinkModel.PERFECT
            .withLoss(0.02)
            .withDuplicate(0.03)
            .withReorder(0.03, 20_000)
            .withCorrupt(0.01, 3);
    FabricOptions options = FabricOptions.of(seed).withLink(link);
    try (Nodes nodes = Nodes.onFabric(options, walk.nodes())) {
      walk(walk, nodes, Promise.WHOLE);
    }
  }

  @Property(tries = 15, shrinking = ShrinkingMode.BOUNDED)
  void everythingArrivesInOrderOverUdp(@ForAll("walks") Walk walk) {
    try (Nodes nodes = Nodes.onUdp(walk.nodes())) {
      walk(walk, nodes, Promise.IN_ORDER);
    }
  }

  private static void walk(Walk walk, Nodes network, Promise unreliable) {
    int legCount = walk.legs().size();
    int requests = walk.steps().size() + 1;
    try (Arena arena = Arena.ofShared()) {
      List<WalkNode> nodes = new ArrayList<>();
      for (int i = 0; i < network.count(); i++) {
        nodes.add(
            new WalkNode(
                network.context(i),
                arena,
                walk.sharedReceives(),
                walk.extendedCompletions(),
                legCount,
                requests));
      }
      List<WalkLeg> legs = new ArrayList<>();
      for (Walk.Leg each : walk.legs()) {
        WalkNode from = nodes.get(each.from() % nodes.size());
        WalkNode to = nodes.get(each.to() % nodes.size());
        WalkLeg leg = new WalkLeg(each, from, to, requests, unreliable);
        from.sends(leg);
        to.receives(leg, requests);
        legs.add(leg);
      }
      for (Walk.Step step : walk.steps()) {
        if (step.poll()) {
          nodes.forEach(WalkNode::poll);
        }
        legs.get(step.leg() % legCount).post(step);
      }
      legs.forEach(leg -> leg.post(LAST));
      finish(nodes, legs, network);
      legs.forEach(WalkLeg::check);
      if (unreliable == Promise.ALL) {
        nodes.forEach(WalkNode::checkEvents);
      }
    }
  }

  /** A completion of a signaled request shows that all requests before it are complete. */
  private static final Walk.Step LAST =
      new Walk.Step(0, 0, 0, List.of(), true, false, false, false, false, false, 0);

  private static void finish(List<WalkNode> nodes, List<WalkLeg> legs, Nodes network) {
    long start = System.nanoTime();
    long lastNs = start;
    while (true) {
      boolean any = false;
      for (WalkNode node : nodes) {
        any |= node.poll();
      }
      long nowNs = System.nanoTime();
      lastNs = any ? nowNs : lastNs;
      boolean complete = legs.stream().allMatch(WalkLeg::complete);
      boolean exhausted = legs.stream().allMatch(leg -> leg.model.exhausted());
      if (complete && (exhausted || (!any && !network.mayStillCome(nowNs - lastNs)))) {
        return;
      }
      assertTrue(nowNs - start < PATIENCE_NS, "the requests are not done");
    }
  }
}
