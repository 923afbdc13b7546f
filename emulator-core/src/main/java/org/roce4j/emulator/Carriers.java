package org.roce4j.emulator;

import java.lang.management.ManagementFactory;
import jdk.management.VirtualThreadSchedulerMXBean;

/** The platform threads that carry virtual threads. */
final class Carriers {
  private static final VirtualThreadSchedulerMXBean SCHEDULER =
      ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);

  private Carriers() {}

  /**
   * Whether virtual threads wait for a carrier. Java does not tell whether a virtual thread has
   * one, so any virtual thread that can run may be waiting.
   */
  static boolean areAwaited() {
    return SCHEDULER.getQueuedVirtualThreadCount() > 0;
  }
}
