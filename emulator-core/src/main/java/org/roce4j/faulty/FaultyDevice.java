package org.roce4j.faulty;

import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.RdmaDevice;

/**
 * Applies a plan of faults to a device of any backend, including hardware. The device and all
 * objects created from it are decorators ({@link org.roce4j.verbs.Wrapper}).
 */
public final class FaultyDevice {
  private FaultyDevice() {}

  /** Decorates a device. Times of the plan count from now, by the system's clock. */
  public static RdmaDevice around(RdmaDevice device, VerbsFaults plan) {
    return around(device, plan, System::nanoTime);
  }

  /**
   * Decorates a device. Times of the plan count from now.
   *
   * @param clock clock of the plan's times in nanoseconds; on a virtual network that of the network
   */
  public static RdmaDevice around(RdmaDevice device, VerbsFaults plan, LongSupplier clock) {
    return around(device, plan, clock, null);
  }

  /**
   * Decorates a device. Times of the plan count from now.
   *
   * @param clock clock of the plan's times in nanoseconds
   * @param log counts what rules can match and what they choose; null: nothing is counted
   */
  public static RdmaDevice around(
      RdmaDevice device, VerbsFaults plan, LongSupplier clock, VerbsLog log) {
    return (RdmaDevice) new Decoration(new PlanState(plan, clock, log)).of(device);
  }

  /**
   * Decorates the contexts of one device. They share one plan and its counts.
   *
   * @param clock clock of the plan's times in nanoseconds
   * @param log counts the calls and completions that rules can match
   */
  public static UnaryOperator<Context> contexts(
      VerbsFaults plan, LongSupplier clock, VerbsLog log) {
    Decoration decoration = new Decoration(new PlanState(plan, clock, log));
    return context -> (Context) decoration.of(context);
  }
}
