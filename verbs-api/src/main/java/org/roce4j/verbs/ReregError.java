package org.roce4j.verbs;

/** What is valid after a refused re-registration ({@code enum ibv_rereg_mr_err_code}). */
public enum ReregError {
  /** The call was wrong; the region is valid as it was. */
  INPUT(-1, Valid.OLD),
  /** The new memory could not be kept from forked processes; the region is valid as it was. */
  DONT_FORK_NEW(-2, Valid.OLD),
  /** The old memory could not be given to forked processes again; the region is the new one. */
  DO_FORK_OLD(-3, Valid.NEW),
  /** The device failed in between; the region must not be used, only closed. */
  CMD(-4, Valid.NONE),
  /** As {@link #CMD}, and the new memory is kept from forked processes. */
  CMD_AND_DO_FORK_NEW(-5, Valid.NONE);

  /** Which region exists afterwards; it must be closed in each case. */
  public enum Valid {
    /** The region as it was before the call. */
    OLD,
    /** The region as the call asked for it. */
    NEW,
    /** No region: its keys give access to nothing. */
    NONE
  }

  private final int value;
  private final Valid valid;

  ReregError(int value, Valid valid) {
    this.value = value;
    this.valid = valid;
  }

  /** The number in libibverbs. */
  public int value() {
    return value;
  }

  /** Which region is valid. */
  public Valid valid() {
    return valid;
  }

  /**
   * The constant with this number; for an unknown number a constant that leaves no valid region.
   */
  public static ReregError of(int value) {
    for (ReregError each : values()) {
      if (each.value == value) {
        return each;
      }
    }
    return CMD;
  }
}
