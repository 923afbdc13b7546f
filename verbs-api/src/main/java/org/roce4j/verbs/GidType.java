package org.roce4j.verbs;

/** Type of a GID table entry ({@code enum ibv_gid_type}, constants {@code IBV_GID_TYPE_*}). */
public enum GidType {
  /** InfiniBand. */
  IB(0),
  /** RoCE version 1: directly over Ethernet. */
  ROCE_V1(1),
  /** RoCE version 2: over UDP. */
  ROCE_V2(2);

  private static final GidType[] BY_VALUE = values();

  private final int value;

  GidType(int value) {
    this.value = value;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static GidType of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }
}
