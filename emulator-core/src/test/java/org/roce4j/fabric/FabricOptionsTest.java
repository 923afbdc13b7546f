package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

class FabricOptionsTest {
  @Property(tries = 300)
  void whatIsPrintedInOneLineIsReadBack(@ForAll("options") FabricOptions options) {
    String line = options.toString();
    assertFalse(line.contains("\n"));
    assertEquals(options, FabricOptions.parse(line));
    assertEquals(options.link(), LinkModel.parse(options.link().toString()));
  }

  @Test
  void whatIsAbsentKeepsItsDefault() {
    assertEquals(FabricOptions.of(0), FabricOptions.parse(""));
    assertEquals(FabricOptions.of(7), FabricOptions.parse("  seed=7 "));
  }

  @Test
  void numbersMayBearUnits() {
    FabricOptions options =
        FabricOptions.parse(
            "delay=15us jitter=2ms bandwidth=100G queue=64KiB loss=5% icrc=off memory=1GiB"
                + " receive-buffer=32KiB");
    assertEquals(15_000, options.link().delayNs());
    assertEquals(2_000_000, options.link().jitterNs());
    assertEquals(100_000_000_000L, options.link().bandwidth());
    assertEquals(65_536, options.link().queueBytes());
    assertEquals(0.05, options.link().loss());
    assertFalse(options.icrc());
    assertEquals(1L << 30, options.memoryBytes());
    assertEquals(32_768, options.receiveBufferBytes());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "speed=5",
        "seed",
        "seed=",
        "delay=11s",
        "delay=-1",
        "bandwidth=2000G",
        "queue=2GiB",
        "loss=1.5",
        "corrupt-bits=0",
        "corrupt-bits=33",
        "icrc=maybe",
        "receive-buffer=-1",
        "memory=-5"
      })
  void nonsenseIsRefusedByName(String text) {
    VerbsException refusal = refused(Errno.EINVAL, () -> FabricOptions.parse(text));
    String key = text.contains("=") ? text.substring(0, text.indexOf('=')) : text;
    assertTrue(refusal.getMessage().contains(key), refusal.getMessage());
  }

  @Test
  void aSizeIsNotNegative() {
    refused(Errno.EINVAL, () -> FabricOptions.of(1).withReceiveBufferBytes(-1));
    refused(Errno.EINVAL, () -> FabricOptions.of(1).withMemoryBytes(-1));
    assertEquals(0, FabricOptions.of(1).withMemoryBytes(0).memoryBytes());
  }

  @Provide
  Arbitrary<FabricOptions> options() {
    Arbitrary<Long> delay = Arbitraries.longs().between(0, LinkModel.MAX_DELAY_NS);
    Arbitrary<Double> chance = Arbitraries.doubles().between(0, 1).ofScale(9);
    Arbitrary<LinkModel> timing =
        Combinators.combine(
                delay,
                delay,
                Arbitraries.longs().between(0, LinkModel.MAX_BANDWIDTH),
                Arbitraries.integers().between(0, LinkModel.MAX_QUEUE_BYTES))
            .as(
                (d, j, b, q) ->
                    LinkModel.PERFECT
                        .withDelayNs(d)
                        .withJitterNs(j)
                        .withBandwidth(b)
                        .withQueueBytes(q));
    Arbitrary<LinkModel> links =
        Combinators.combine(
                timing,
                chance,
                chance,
                chance,
                chance,
                delay,
                Arbitraries.integers().between(1, LinkModel.MAX_CORRUPT_BITS))
            .as(
                (model, p, q, r, s, late, bits) ->
                    model
                        .withLoss(p)
                        .withBurst(q, r, s)
                        .withDuplicate(r)
                        .withReorder(s, late)
                        .withCorrupt(q, bits));
    return Combinators.combine(
            Arbitraries.longs(),
            Arbitraries.of(true, false),
            Arbitraries.integers().greaterOrEqual(0),
            Arbitraries.longs().greaterOrEqual(0),
            links)
        .as(FabricOptions::new);
  }
}
