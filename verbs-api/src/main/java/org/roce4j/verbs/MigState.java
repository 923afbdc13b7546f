package org.roce4j.verbs;

/** Automatic path migration state ({@code enum ibv_mig_state}, constants {@code IBV_MIG_*}). */
public enum MigState {
  /** The initial state: no alternate path is armed. */
  MIGRATED(0),
  /** The alternate path is being loaded. */
  REARM(1),
  /** The alternate path is ready. */
  ARMED(2);

  private static final MigState[] BY_VALUE = values();

  private final int value;

  MigState(int value) {
    this.value = value;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static MigState of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }
}
