package org.roce4j.device;

import java.util.regex.Pattern;

/** The line of the program that called a verb: the innermost frame outside roce4j. */
public final class CallSite {
  private static final Pattern INSIDE =
      Pattern.compile(
          "(java|jdk)\\..*|org\\.roce4j\\.(junit\\.RdmaEnd"
              + "|(verbs|device|engine|drive|emulator|fabric|port|wire|connect)\\..*)");

  private static final StackWalker WALKER = StackWalker.getInstance();

  private CallSite() {}

  /** The line of the program in the calling thread; null if there is none. */
  static StackTraceElement here() {
    return WALKER.walk(
        frames ->
            frames
                .filter(frame -> !isInside(frame.getClassName()))
                .findFirst()
                .map(StackWalker.StackFrame::toStackTraceElement)
                .orElse(null));
  }

  /** Whether the class belongs to roce4j or to the JDK. */
  public static boolean isInside(String className) {
    return INSIDE.matcher(className).matches();
  }
}
