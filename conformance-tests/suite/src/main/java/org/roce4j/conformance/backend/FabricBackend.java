package org.roce4j.conformance.backend;

import java.util.ArrayList;
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

  @Override
  public void close() {}

  private final class FabricLink implements Link {
    private final FabricDevices devices;
    private final EmulatedDevice nearDevice;
    private final Context near;
    private final Context far;
    private final List<Context> moreContexts = new ArrayList<>();
    private EmulatedDevice smallDevice;
    private EmulatedDevice dualDevice;

    FabricLink(FabricDevices devices) {
      this.devices = devices;
      nearDevice = device("near", NEAR);
      near = nearDevice.open();
      far = device("far", FAR).open();
    }

    private EmulatedDevice device(String name, Gid address) {
      return devices.device(devices.options(name, address).withEngines(engines), steering);
    }

    @Override
    public Context near() {
      return near;
    }

    @Override
    public Context far() {
      return far;
    }

    @Override
    public Gid nearAddress() {
      return NEAR;
    }

    @Override
    public Gid farAddress() {
      return FAR;
    }

    @Override
    public int nearGidIndex() {
      return 0;
    }

    @Override
    public int farGidIndex() {
      return 0;
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
        long next = devices.fabric().nextEventNs();
        if (next == Long.MAX_VALUE || next > deadline) {
          return condition.getAsBoolean();
        }
        devices.fabric().step();
      }
      return true;
    }

    @Override
    public void port(boolean up) {
      nearDevice.port(up);
    }

    @Override
    public Gid addAddress() {
      nearDevice.addAddress(MORE);
      return MORE;
    }

    @Override
    public void removeAddress(Gid address) {
      nearDevice.removeAddress(address);
    }

    @Override
    public Context small() {
      if (smallDevice == null) {
        smallDevice = devices.device(FewObjects.of(DeviceOptions.of("small", SMALL).withSeed(1)));
      }
      moreContexts.add(smallDevice.open());
      return moreContexts.getLast();
    }

    @Override
    public Context twoPorts() {
      if (dualDevice == null) {
        DeviceOptions options = devices.options("dual", DUAL[0]).withPort(DUAL[1]);
        dualDevice = devices.device(options.withEngines(engines), steering);
      }
      moreContexts.add(dualDevice.open());
      return moreContexts.getLast();
    }

    @Override
    public void port(int portNum, boolean up) {
      dualDevice.port(portNum, up);
    }

    @Override
    public void close() {
      moreContexts.forEach(Context::close);
      near.close();
      far.close();
      devices.close();
    }
  }
}
