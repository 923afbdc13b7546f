package org.roce4j.verbs;

/** What is said of memory ({@code enum ibv_advise_mr_advice}). */
public enum Advice {
  /** It will be read soon. */
  PREFETCH,
  /** It will be written soon. */
  PREFETCH_WRITE,
  /** It will be used soon, as far as its pages are there already. */
  PREFETCH_NO_FAULT;

  /** {@code IBV_ADVISE_MR_FLAG_FLUSH}: the call returns when it is done. */
  public static final int FLUSH = 1;

  /** Returns the number libibverbs uses. */
  public int value() {
    return ordinal();
  }
}
