package org.roce4j.verbs;

/** Logical state of a port ({@code enum ibv_port_state}, constants {@code IBV_PORT_*}). */
public enum PortState {
  /** No state change; used in management only. */
  NOP(0, "no state change (NOP)"),
  /** The port carries nothing. */
  DOWN(1, "down"),
  /** The physical link is up, the subnet is not configured. */
  INIT(2, "init"),
  /** Configured, not yet active. */
  ARMED(3, "armed"),
  /** The port carries traffic. */
  ACTIVE(4, "active"),
  /** Active; a link failure is being deferred. */
  ACTIVE_DEFER(5, "active defer");

  private static final PortState[] BY_VALUE = values();

  private final int value;
  private final String description;

  PortState(int value, String description) {
    this.value = value;
    this.description = description;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static PortState of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }

  /** Returns the text of {@code ibv_port_state_str} for this constant. */
  public String description() {
    return description;
  }

  /**
   * Returns the text of {@code ibv_port_state_str} for any number: {@code "unknown"} where there is
   * none.
   */
  public static String describe(int value) {
    PortState known = of(value);
    return known == null ? "unknown" : known.description;
  }
}
