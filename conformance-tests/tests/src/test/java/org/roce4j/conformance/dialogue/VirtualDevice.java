package org.roce4j.conformance.dialogue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.device.Device;
import org.roce4j.device.EmulatedContext;
import org.roce4j.device.GidTable;
import org.roce4j.device.PortControl;
import org.roce4j.drive.DutyCycle;
import org.roce4j.emulator.EmulatorProvider;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Progress;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricPort;
import org.roce4j.fabric.Node;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.VerbsProvider;

/**
 * A device on a fabric whose verbs take no time: only the dialogue moves the clock, polling does
 * not. For use by one thread.
 */
public final class VirtualDevice implements RdmaDevice, Progress, Node, AutoCloseable {
  /** More than any dialogue needs: a device that continued without end would stop the clock. */
  private static final int MOST_TURNS_AT_ONCE = 100_000;

  private final Fabric fabric;
  private final FabricPort port;
  private final Device device;
  private final DutyCycle cycle;
  private long instantNs = -1;
  private int turns;

  public VirtualDevice(Fabric fabric, DeviceLimits limits, EngineTrace trace, Gid... addresses) {
    this.fabric = fabric;
    port = fabric.attach(List.of(addresses));
    device =
        new Device(
            this,
            limits,
            new GidTable(List.of(addresses), 0),
            Mtu.MTU_4096,
            new SplittableRandom(fabric.options().seed() + 1),
            trace);
    cycle = new DutyCycle(device.engine(0), port);
    device.attach(control(), this);
    fabric.register(this, port);
  }

  private PortControl control() {
    return new PortControl() {
      @Override
      public void join(Gid group, Gid own) {
        port.join(group, own);
      }

      @Override
      public void leave(Gid group, Gid own) {
        port.leave(group, own);
      }

      @Override
      public PortState state(int port) {
        return PortState.ACTIVE;
      }

      @Override
      public Map<String, Long> counters() {
        return new LinkedHashMap<>(port.counters().snapshot());
      }
    };
  }

  @Override
  public void close() {
    port.close();
  }

  // ---- RdmaDevice

  @Override
  public String name() {
    return "virtual";
  }

  @Override
  public long guid() {
    return 0x0200_00ff_fe00_0001L;
  }

  @Override
  public VerbsProvider provider() {
    return new EmulatorProvider();
  }

  @Override
  public Context open() {
    return EmulatedContext.open(device, () -> {});
  }

  // ---- Progress

  @Override
  public <T> T exclusively(Supplier<T> verb) {
    flush();
    try {
      return verb.get();
    } finally {
      flush();
    }
  }

  @Override
  public void doorbell() {
    flush();
  }

  private void flush() {
    cycle.flush();
    cycle.throwFailure();
  }

  @Override
  public void hold() {
    cycle.hold();
    cycle.throwFailure();
  }

  /**
   * Sends held requests after an empty poll. It does nothing else: arrived packets have been
   * handled, and time belongs to the dialogue.
   */
  @Override
  public void advance() {
    if (device.engine(0).isRung()) {
      cycle.poll();
      cycle.throwFailure();
    }
  }

  @Override
  public long nowNs() {
    return fabric.nowNs();
  }

  @Override
  public boolean await(BooleanSupplier condition, long timeoutNs) {
    long limit = Deadlines.after(fabric.nowNs(), timeoutNs);
    advance();
    if (!fabric.runUntil(condition, limit) && timeoutNs == Deadlines.NEVER) {
      throw new VerbsException(Errno.ETIMEDOUT, "this would block for ever");
    }
    return condition.getAsBoolean();
  }

  // ---- Node

  @Override
  public void run(long nowNs) {
    if (nowNs != instantNs) {
      instantNs = nowNs;
      turns = 0;
    }
    if (++turns > MOST_TURNS_AT_ONCE) {
      throw new AssertionError("the device finds no rest at " + nowNs + " ns");
    }
    cycle.run();
    cycle.throwFailure();
  }

  @Override
  public long nextDeadlineNs() {
    if (device.engine(0).hasOutput()) {
      return fabric.nowNs();
    }
    return device.engine(0).nextTimeout();
  }
}
