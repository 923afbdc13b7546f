package org.roce4j.conformance.backend;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.Steering;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

/** The emulator on a virtual network in virtual time; each link has a network of its own. */
public final class FabricBackend implements Backend {
  private static final Gid NEAR = Gid.parse("10.0.0.1");
  private static final Gid FAR = Gid.parse("10.0.0.2");

  private static final Gid MORE = Gid.parse("10.0.0.4");
  private static final Gid SMALL = Gid.parse("10.0.0.3");
  private static final Gid[] DUAL = {Gid.parse("10.0.0.5"), Gid.parse("10.0.0.6")};

  private final long seed;
  private final int engines;
  private final Steering steering;

  /** A network without faults; the seed draws keys and queue pair numbers. */
  public FabricBackend(long seed) {
    this(seed, 1, Steering.DEST_QP);
  }

  /** A network without faults, whose devices have several engines. */
  public FabricBackend(long seed, int engines, Steering steering) {
    this.seed = seed;
    this.engines = engines;
    this.steering = steering;
  }

  @Override
  public String name() {
    return "fabric";
  }

  @Override
  public String description() {
    return "emulated devices on a virtual network in virtual time, seed "
        + seed
        + (engines == 1 ? "" : ", " + engines + " engines each");
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.complementOf(EnumSet.of(Capability.KERNEL_DEVICE));
  }

  @Override
  public List<Deviation> deviations() {
    return List.of();
  }

  @Override
  public Link open() {
    return new FabricLink(new FabricDevices(FabricOptions.of(seed)));
  }

  private EmulatedDevice device(FabricDevices devices, DeviceOptions options) {
    return devices.device(options.withEngines(engines), steering);
  }

  @Override
  public void close() {}

  private final class FabricLink extends EmulatedLink {
    private final FabricDevices devices;

    FabricLink(FabricDevices devices) {
      super(
          device(devices, devices.options("near", NEAR)),
          device(devices, devices.options("far", FAR)));
      this.devices = devices;
    }

    @Override
    public long nowNs() {
      return devices.fabric().nowNs();
    }

    @Override
    public long patienceNs() {
      return 0;
    }

    @Override
    public boolean await(BooleanSupplier condition, long timeoutNs) {
      long deadline = nowNs() + timeoutNs;
      while (!condition.getAsBoolean()) {
        if (devices.fabric().nextEventNs() > deadline) {
          return condition.getAsBoolean();
        }
        devices.fabric().step();
      }
      return true;
    }

    @Override
    Gid more() {
      return MORE;
    }

    @Override
    Context firstSmall() {
      return devices.device(FewObjects.of(DeviceOptions.of("small", SMALL).withSeed(1))).open();
    }

    @Override
    EmulatedDevice newTwoPorts() {
      return device(devices, devices.options("dual", DUAL[0]).withPort(DUAL[1]));
    }

    @Override
    public void close() {
      super.close();
      devices.close();
    }
  }
}
