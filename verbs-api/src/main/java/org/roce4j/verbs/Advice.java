package org.roce4j.verbs;

/** A hint about memory ({@code enum ibv_advise_mr_advice}). */
public enum Advice {
  /** It will be read soon. */
  PREFETCH,
  /** It will be written soon. */
  PREFETCH_WRITE,
  /** It will be used soon; only pages that are present already are prepared. */
  PREFETCH_NO_FAULT;

  /** {@code IBV_ADVISE_MR_FLAG_FLUSH}: the call returns when the advice is carried out. */
  public static final int FLUSH = 1;

  /** Returns the number libibverbs uses. */
  public int value() {
    return ordinal();
  }
}
