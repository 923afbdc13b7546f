package org.roce4j.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.roce4j.connect.RcPair;
import org.roce4j.junit.Connected;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.RdmaDevice;

@EmulatedRdma
class DeviceMetricsTest {
  private final MockClock clock = new MockClock();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);

  private double figure(String name, String device) {
    return registry.get(name).tag("device", device).functionCounter().count();
  }

  @Test
  void aMessageIsCountedOnBothDevices(Context a, Context b, @Connected RcPair pair) {
    try (DeviceMetrics near = new DeviceMetrics(a, Tags.of("rack", "7"));
        DeviceMetrics far = new DeviceMetrics(b)) {
      near.bindTo(registry);
      far.bindTo(registry);
      assertEquals(a.counters().size() + b.counters().size(), registry.getMeters().size());
      assertEquals(0, figure("rdma.rdma.sends", "roce0"));
      pair.client().send("hello");
      pair.server().receiveString();
      assertEquals(0, figure("rdma.rdma.sends", "roce0"), "figures of one reading");
      clock.add(100, TimeUnit.MILLISECONDS);
      assertEquals((double) a.counters().get("rdma_sends"), figure("rdma.rdma.sends", "roce0"));
      assertEquals((double) b.counters().get("rdma_recvs"), figure("rdma.rdma.recvs", "roce1"));
      assertTrue(figure("rdma.sent.pkts", "roce0") > 0);
      assertEquals(
          a.counters().size(),
          registry.getMeters().stream()
              .filter(each -> "7".equals(each.getId().getTag("rack")))
              .count());
      for (Meter each : registry.getMeters()) {
        String unit = each.getId().getName().endsWith(".bytes") ? "bytes" : null;
        assertEquals(unit, each.getId().getBaseUnit(), each.getId()::toString);
      }
    }
    assertNull(registry.find("rdma.sent.bytes").functionCounter(), "closed binders leave nothing");
  }

  /** Reads more frequent than ten a second get the same values. */
  @Test
  void countersAreReadOnceInATenthOfASecond(Context a, @Connected RcPair pair) {
    try (DeviceMetrics metrics = new DeviceMetrics(a)) {
      metrics.bindTo(registry);
      for (int round = 0; round < 3; round++) {
        double before = figure("rdma.rdma.sends", "roce0");
        for (int ms = 0; ms < 99; ms += 33) {
          pair.client().send("hello");
          pair.server().receiveString();
          clock.add(33, TimeUnit.MILLISECONDS);
          assertEquals(before, figure("rdma.rdma.sends", "roce0"), "after " + (ms + 33) + " ms");
        }
        clock.add(1, TimeUnit.MILLISECONDS);
        assertEquals(before + 3, figure("rdma.rdma.sends", "roce0"));
      }
    }
  }

  @Test
  void figuresOfAClosedContextStay(RdmaDevice device, @Connected RcPair pair) {
    Context context = device.open();
    pair.client().send("hello");
    pair.server().receiveString();
    DeviceMetrics metrics = new DeviceMetrics(context);
    metrics.bindTo(registry);
    double before = figure("rdma.sent.pkts", "roce0");
    assertTrue(before > 0);
    context.close();
    clock.add(1, TimeUnit.SECONDS);
    assertEquals(before, figure("rdma.sent.pkts", "roce0"));
    metrics.close();
    metrics.close();
  }

  @Test
  void aSecondCloseLeavesTheMetersOfLaterMetrics(Context a) {
    DeviceMetrics first = new DeviceMetrics(a);
    first.bindTo(registry);
    first.close();
    try (DeviceMetrics later = new DeviceMetrics(a)) {
      later.bindTo(registry);
      first.close();
      assertEquals(0, figure("rdma.sent.pkts", "roce0"));
    }
  }

  @Test
  void metricsOfSeveralRegistriesLeaveEachAndMayBeBoundAgain(Context a) {
    SimpleMeterRegistry second = new SimpleMeterRegistry();
    DeviceMetrics metrics = new DeviceMetrics(a);
    for (int round = 0; round < 2; round++) {
      metrics.bindTo(registry);
      metrics.bindTo(second);
      assertEquals(a.counters().size(), registry.getMeters().size());
      assertEquals(a.counters().size(), second.getMeters().size());
      metrics.close();
      assertEquals(List.of(), registry.getMeters());
      assertEquals(List.of(), second.getMeters());
    }
  }

  @Test
  void aContextThatWasClosedBeforeAnyReadingHasCountedNothing(RdmaDevice device) {
    Context context = device.open();
    try (DeviceMetrics metrics = new DeviceMetrics(context)) {
      metrics.bindTo(registry);
      context.close();
      assertEquals(0, figure("rdma.sent.pkts", "roce0"));
    }
  }
}
