package org.roce4j.property;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.LinkModel;
import org.roce4j.verbs.WrOpcode;

/** The data path of reliable connections against a model that knows no packets. */
class DataPathModelTest {
  private static final WrOpcode[] OPCODES = {
    WrOpcode.SEND,
    WrOpcode.SEND_WITH_IMM,
    WrOpcode.RDMA_WRITE,
    WrOpcode.RDMA_WRITE_WITH_IMM,
    WrOpcode.RDMA_READ,
    WrOpcode.ATOMIC_CMP_AND_SWP,
    WrOpcode.ATOMIC_FETCH_AND_ADD
  };

  @Provide
  Arbitrary<List<RandomRequest>> requests() {
    Arbitrary<Integer> bytes =
        Arbitraries.frequencyOf(
            Tuple.of(3, Arbitraries.integers().between(0, 64)),
            Tuple.of(2, Arbitraries.of(255, 256, 257, 511, 512, 513, 1024, 1025, 4096)),
            Tuple.of(1, Arbitraries.integers().between(0, RequestRun.MOST_BYTES)));
    Arbitrary<Boolean> flag = Arbitraries.of(true, false);
    return Combinators.combine(
            Arbitraries.of(OPCODES),
            bytes,
            Arbitraries.integers().between(0, 2000),
            Arbitraries.integers().between(0, 100).list().ofMaxSize(RequestRun.MAX_SGE - 1),
            flag,
            flag,
            flag)
        .as(RandomRequest::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(RequestRun.MOST_REQUESTS)
        .withSizeDistribution(RandomDistribution.uniform());
  }

  @Property(tries = 150, shrinking = ShrinkingMode.BOUNDED)
  void requestsHappenOneAfterTheOther(
      @ForAll("requests") List<RandomRequest> requests,
      @ForAll @IntRange(min = 0, max = 5) int receivesLate) {
    check(requests, receivesLate, FabricOptions.of(1));
  }

  @Property(tries = 100, shrinking = ShrinkingMode.BOUNDED)
  void requestsHappenOnceWhateverTheNetworkDoes(
      @ForAll("requests") List<RandomRequest> requests,
      @ForAll @IntRange(min = 0, max = 5) int receivesLate,
      @ForAll @LongRange(min = 1, max = 1_000_000) long seed) {
    LinkModel link =
        LinkModel.PERFECT
            .withLoss(0.02)
            .withDuplicate(0.03)
            .withReorder(0.03, 20_000)
            .withCorrupt(0.01, 3);
    check(requests, receivesLate, FabricOptions.of(seed).withLink(link));
  }

  private static void check(List<RandomRequest> requests, int receivesLate, FabricOptions options) {
    try (RequestRun run = new RequestRun(options)) {
      DataPathModel model = run.run(requests, receivesLate);
      assertEquals(model.sent, run.sent(), "send completions");
      assertEquals(model.received, run.received(), "receive completions");
      assertArrayEquals(model.far, run.farMemory(), "the peer's memory");
      assertArrayEquals(model.near, run.nearMemory(), "the requester's memory");
    }
  }
}
