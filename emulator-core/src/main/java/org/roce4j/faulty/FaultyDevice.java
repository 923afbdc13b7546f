package org.roce4j.faulty;

import java.util.function.LongSupplier;
import org.roce4j.verbs.RdmaDevice;

/**
 * Puts faults of a plan in front of a device of any backend, of hardware too. The device and all
 * that is made by it are decorators ({@link org.roce4j.verbs.Wrapper}).
 */
public final class FaultyDevice {
  private FaultyDevice() {}

  /** With faults from now on, by the system's clock. */
  public static RdmaDevice around(RdmaDevice device, VerbsFaults plan) {
    return around(device, plan, System::nanoTime);
  }

  /**
   * With faults from now on.
   *
   * @param clock nanoseconds, of the plan's times; on a virtual network its own
   */
  public static RdmaDevice around(RdmaDevice device, VerbsFaults plan, LongSupplier clock) {
    return (RdmaDevice) new Decoration(new PlanState(plan, clock)).of(device);
  }
}
