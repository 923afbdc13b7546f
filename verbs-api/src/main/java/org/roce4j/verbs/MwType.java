package org.roce4j.verbs;

/** Type of a memory window ({@code enum ibv_mw_type}, constants {@code IBV_MW_*}). */
public enum MwType {
  /** Bound by the verb {@code ibv_bind_mw}. */
  TYPE_1(1),
  /** Bound by a posted work request; its key is chosen by the program. */
  TYPE_2(2);

  private static final MwType[] BY_VALUE = NumberTable.of(values(), MwType::value);

  private final int value;

  MwType(int value) {
    this.value = value;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static MwType of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }
}
