package org.roce4j.emulator;

import java.lang.management.ManagementFactory;
import jdk.management.VirtualThreadSchedulerMXBean;

/** The platform threads that carry virtual threads. */
final class Carriers {
  private static final VirtualThreadSchedulerMXBean SCHEDULER =
      ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);

  private Carriers() {}

  /**
   * Whether virtual threads wait for a carrier. A virtual thread does not tell whether it has one,
   * so each that can run may be among them.
   */
  static boolean areAwaited() {
    return SCHEDULER.getQueuedVirtualThreadCount() > 0;
  }
}
