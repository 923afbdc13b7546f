package org.roce4j.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.VerbsException;

/**
 * Publishes the counters of a device ({@link Context#counters}, sysfs {@code hw_counters}) as
 * Micrometer meters. A counter {@code sent_pkts} is the meter {@code rdma.sent.pkts}, with the tag
 * {@code device}.
 *
 * <pre>{@code
 * try (DeviceMetrics metrics = new DeviceMetrics(context)) {
 *   metrics.bindTo(registry);
 *   ...
 * }
 * }</pre>
 *
 * <p>A registry reads its meters one by one. The device is asked at most once in {@value
 * #SNAPSHOT_MS} ms of the registry's clock, so that the figures of one reading belong together.
 * After {@code context} was closed the meters keep the figures of the last reading. Thread-safe.
 */
public final class DeviceMetrics implements MeterBinder, AutoCloseable {
  private static final long SNAPSHOT_MS = 100;
  private static final long SNAPSHOT_NS = TimeUnit.MILLISECONDS.toNanos(SNAPSHOT_MS);

  private record Bound(MeterRegistry registry, Meter meter) {}

  private final Context context;
  private final Tags tags;
  private final List<Bound> bound = new ArrayList<>();
  private Map<String, Long> snapshot = Map.of();
  private boolean read;
  private long readNs;

  /** The counters of {@code context}'s device, tagged with its name alone. */
  public DeviceMetrics(Context context) {
    this(context, List.of());
  }

  /**
   * The counters of {@code context}'s device.
   *
   * @param context stays the caller's, who closes it after this
   * @param tags of each meter, beside {@code device}
   */
  public DeviceMetrics(Context context, Iterable<Tag> tags) {
    this.context = context;
    this.tags = Tags.of("device", context.device().name()).and(tags);
  }

  /**
   * Registers a meter for each counter that the device has now.
   *
   * @throws VerbsException ENODEV if the context is closed
   */
  @Override
  public void bindTo(MeterRegistry registry) {
    for (String name : context.counters().keySet()) {
      Meter meter =
          FunctionCounter.builder(
                  "rdma." + name.replace('_', '.'), this, all -> all.figure(registry, name))
              .tags(tags)
              .baseUnit(name.endsWith("_bytes") ? "bytes" : null)
              .register(registry);
      keep(new Bound(registry, meter));
    }
  }

  private synchronized void keep(Bound meter) {
    bound.add(meter);
  }

  private synchronized double figure(MeterRegistry registry, String name) {
    long nowNs = registry.config().clock().monotonicTime();
    if (!read || nowNs - readNs >= SNAPSHOT_NS) {
      snapshot = asked();
      readNs = nowNs;
      read = true;
    }
    return snapshot.getOrDefault(name, 0L);
  }

  private Map<String, Long> asked() {
    try {
      return context.counters();
    } catch (VerbsException closed) {
      return snapshot;
    }
  }

  /** Removes the meters from their registries. Idempotent. */
  @Override
  public synchronized void close() {
    bound.forEach(each -> each.registry().remove(each.meter()));
    bound.clear();
  }
}
