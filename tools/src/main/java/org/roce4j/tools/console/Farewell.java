package org.roce4j.tools.console;

/**
 * The last action of a command before Ctrl-C or SIGTERM ends the process, such as a disconnect
 * message to its peers. For a C program the kernel does this.
 */
public final class Farewell implements AutoCloseable {
  private final Thread hook;

  /**
   * Registers the action.
   *
   * @param task a short action: the process waits for it
   */
  public Farewell(Runnable task) {
    hook = Thread.ofPlatform().name("farewell").unstarted(task);
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending.
    }
  }

  /** Whether the process is ending, which explains any failure from now on. */
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

  /** Cancels the action: the command has ended by itself. Idempotent. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending.
    }
  }
}
