package org.roce4j.device;

import java.util.regex.Pattern;

/** Which line of the program is in a verb, or has called one: the first that is not of roce4j. */
public final class CallSite {
  private static final Pattern INSIDE =
      Pattern.compile(
          "(java|jdk)\\..*|org\\.roce4j\\.(junit\\.RdmaEnd"
              + "|(verbs|device|engine|drive|emulator|fabric|port|wire|connect)\\..*)");

  private static final StackWalker WALKER = StackWalker.getInstance();

  private CallSite() {}

  /** The line of the program that the calling thread comes from; null: there is none. */
  static StackTraceElement here() {
    return WALKER.walk(
        frames ->
            frames
                .filter(frame -> !isInside(frame.getClassName()))
                .findFirst()
                .map(StackWalker.StackFrame::toStackTraceElement)
                .orElse(null));
  }

  /** Whether a class of that name is part of what the program calls, or of the JDK. */
  public static boolean isInside(String className) {
    return INSIDE.matcher(className).matches();
  }
}
