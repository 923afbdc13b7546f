package org.roce4j.verbs;

/** Whether registered memory survives a fork ({@code enum ibv_fork_status}). */
public enum ForkStatus {
  /** {@link Verbs#forkInit} was not called, or failed. */
  DISABLED,
  /** {@link Verbs#forkInit} was called. */
  ENABLED,
  /** {@link Verbs#forkInit} need not be called: forks do no harm. */
  UNNEEDED;

  /** Returns the number libibverbs uses. */
  public int value() {
    return ordinal();
  }
}
