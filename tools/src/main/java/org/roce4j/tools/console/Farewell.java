package org.roce4j.tools.console;

/**
 * What a command does before Ctrl-C or SIGTERM ends the process, such as telling its peers that it
 * goes, as the kernel does for a program in C.
 */
public final class Farewell implements AutoCloseable {
  private final Thread hook;

  /**
   * Registers what is to be done.
   *
   * @param task short: the process waits for it
   */
  public Farewell(Runnable task) {
    hook = Thread.ofPlatform().name("farewell").unstarted(task);
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process ends at this moment.
    }
  }

  /** Whether the process ends at this moment, which is why whatever runs may fail. */
  public static boolean isTime() {
    Thread never = Thread.ofPlatform().unstarted(() -> {});
    try {
      Runtime.getRuntime().addShutdownHook(never);
      Runtime.getRuntime().removeShutdownHook(never);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  /** The command has ended by itself. Idempotent. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process ends at this moment.
    }
  }
}
