package org.roce4j.verbs;

/** What kind of node a device is ({@code enum ibv_node_type}, constants {@code IBV_NODE_*}). */
public enum NodeType {
  /** Not known. */
  UNKNOWN(-1, "unknown"),
  /** A channel adapter; RoCE devices too. */
  CA(1, "InfiniBand channel adapter"),
  /** Forwards packets within an InfiniBand subnet. */
  SWITCH(2, "InfiniBand switch"),
  /** Forwards packets between InfiniBand subnets. */
  ROUTER(3, "InfiniBand router"),
  /** An iWARP adapter. */
  RNIC(4, "iWARP NIC"),
  /** A usNIC adapter. */
  USNIC(5, "usNIC"),
  /** A usNIC adapter over UDP. */
  USNIC_UDP(6, "usNIC UDP"),
  /** None of the others. */
  UNSPECIFIED(7, "unspecified");

  private static final NodeType[] BY_VALUE = NumberTable.of(values(), NodeType::value);

  private final int value;
  private final String description;

  NodeType(int value, String description) {
    this.value = value;
    this.description = description;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@link #UNKNOWN} when there is none. */
  public static NodeType of(int value) {
    if (value < 0 || value >= BY_VALUE.length || BY_VALUE[value] == null) {
      return UNKNOWN;
    }
    return BY_VALUE[value];
  }

  /** Returns the text of {@code ibv_node_type_str} for this constant. */
  public String description() {
    return description;
  }

  /**
   * Returns the text of {@code ibv_node_type_str} for any number: {@code "unknown"} where there is
   * none.
   */
  public static String describe(int value) {
    NodeType known = of(value);
    return known == null ? "unknown" : known.description;
  }
}
