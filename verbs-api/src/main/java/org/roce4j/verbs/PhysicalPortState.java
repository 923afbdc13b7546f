package org.roce4j.verbs;

/** Physical state of a port: the byte {@code phys_state} of {@code struct ibv_port_attr}. */
public enum PhysicalPortState {
  /** The port sleeps. */
  SLEEP(1),
  /** No carrier. */
  POLLING(2),
  /** The interface is down. */
  DISABLED(3),
  /** The link is being trained. */
  PORT_CONFIGURATION_TRAINING(4),
  /** The link works. */
  LINK_UP(5),
  /** The link recovers from an error. */
  LINK_ERROR_RECOVERY(6),
  /** The link is under test. */
  PHY_TEST(7);

  private static final PhysicalPortState[] BY_VALUE =
      NumberTable.of(values(), PhysicalPortState::value);

  private final int value;

  PhysicalPortState(int value) {
    this.value = value;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static PhysicalPortState of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }
}
