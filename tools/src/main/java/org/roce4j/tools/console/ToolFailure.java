package org.roce4j.tools.console;

import org.roce4j.verbs.text.Wording;

/** A failure that the user sees as one line; the process ends with its exit code. */
public final class ToolFailure extends RuntimeException {
  /** The work was started and failed. */
  public static final int RUN_TIME = 1;

  /** The command line, or a thing that it names, is wrong; nothing was started. */
  public static final int USAGE = 2;

  private static final long serialVersionUID = 1L;

  private final int exitCode;

  private ToolFailure(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /**
   * A failure at run time.
   *
   * @param message what went wrong and what to do, in one sentence
   */
  public static ToolFailure atRunTime(String message) {
    return new ToolFailure(RUN_TIME, message, null);
  }

  /** A failure at run time, with values in the message, as {@link Wording#of} takes them. */
  public static ToolFailure atRunTime(String message, Object... values) {
    return atRunTime(Wording.of(message, values));
  }

  /** A failure at run time, with the exception that {@code --debug} shows. */
  public static ToolFailure atRunTime(String message, Throwable cause) {
    return new ToolFailure(RUN_TIME, message, cause);
  }

  /** A failure without a message, because standard output has no reader any more. */
  static ToolFailure unheard(Throwable cause) {
    return new ToolFailure(RUN_TIME, "", cause);
  }

  /** A wrong command line. */
  public static ToolFailure usage(String message) {
    return new ToolFailure(USAGE, message, null);
  }

  /** A wrong command line, with values in the message, as {@link Wording#of} takes them. */
  public static ToolFailure usage(String message, Object... values) {
    return usage(Wording.of(message, values));
  }

  public int exitCode() {
    return exitCode;
  }
}
