package org.roce4j.engine.device;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.ProtectionDomain;

/** An engine that nothing drives: verbs run at once, the test plays network and clock. */
final class LoneEngine {
  final Engine engine;
  final ProtectionDomain pd;

  LoneEngine(Gid gid, Mtu mtu) {
    this(gid, mtu, DeviceLimits.DEFAULT);
  }

  LoneEngine(Gid gid, Mtu mtu, DeviceLimits limits) {
    Device device = device(gid, mtu, limits);
    device.attach(new NoPort(), new NoDrive());
    engine = device.engine(0);
    pd = device.openContext(() -> {}).allocPd();
  }

  /** A device that is attached to nothing yet. */
  static Device device(Gid gid, Mtu mtu, DeviceLimits limits) {
    return new Device(
        null,
        limits,
        new GidTable(List.of(gid), 0),
        mtu,
        new SplittableRandom(1),
        EngineTrace.NONE);
  }

  private static final class NoDrive implements Progress {
    @Override
    public <T> T exclusively(Supplier<T> verb) {
      return verb.get();
    }

    @Override
    public void doorbell() {}

    @Override
    public void advance() {}

    @Override
    public long nowNs() {
      return 0;
    }

    @Override
    public boolean await(BooleanSupplier condition, long timeoutNs) {
      return condition.getAsBoolean();
    }
  }

  private static final class NoPort implements PortControl {
    @Override
    public void join(long groupHigh, long groupLow) {}

    @Override
    public void leave(long groupHigh, long groupLow) {}

    @Override
    public PortState state() {
      return PortState.ACTIVE;
    }

    @Override
    public Map<String, Long> counters() {
      return Map.of();
    }
  }
}
