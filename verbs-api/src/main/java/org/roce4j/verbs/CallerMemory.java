package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;

/**
 * The rules for memory that holds a list of requests or an array of completions; equal for every
 * device, so that a program meets the same refusal everywhere. Freed memory, or memory confined to
 * another thread, shows only when it is accessed.
 */
public final class CallerMemory {
  private CallerMemory() {}

  /** Whether a list of work requests can lie in it: a heap segment has no addresses. */
  public static boolean holdsRequests(MemorySegment view) {
    return view.isNative();
  }

  /** Whether completions can be written into it. */
  public static boolean holdsCompletions(MemorySegment view) {
    return view.isNative() && !view.isReadOnly();
  }
}
