package org.roce4j.faulty;

import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.roce4j.verbs.Context;
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
    return (RdmaDevice) new Decoration(new PlanState(plan, clock, null)).of(device);
  }

  /**
   * Decorates the contexts of one device, which counts for all of them.
   *
   * @param clock nanoseconds, of the plan's times
   * @param log counts what rules could mean
   */
  public static UnaryOperator<Context> contexts(
      VerbsFaults plan, LongSupplier clock, VerbsLog log) {
    Decoration decoration = new Decoration(new PlanState(plan, clock, log));
    return context -> (Context) decoration.of(context);
  }
}
