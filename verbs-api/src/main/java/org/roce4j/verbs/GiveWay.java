package org.roce4j.verbs;

/**
 * How a thread that looks again and again for what another does lets that one run, for backends.
 */
public final class GiveWay {
  private static final int NAP_NS = 10_000;

  private GiveWay() {}

  /**
   * Lets other threads run. A virtual thread sleeps, even if it was interrupted: carriers prefer
   * threads that yield to those that wake up, so two that yield on each carrier would keep all
   * others from running.
   */
  public static void toOthers() {
    Thread caller = Thread.currentThread();
    if (!caller.isVirtual()) {
      Thread.yield();
      return;
    }
    boolean interrupted = Thread.interrupted();
    try {
      Thread.sleep(0, NAP_NS); // an interrupt leaves a permit, which would end a park at once
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      caller.interrupt();
    }
  }
}
