package org.roce4j.verbs;

/** Link layer of a port ({@code IBV_LINK_LAYER_*}). */
public enum LinkLayer {
  /** Unspecified; treated as InfiniBand. */
  UNSPECIFIED(0),
  /** Addresses by LID within a subnet, without Ethernet. */
  INFINIBAND(1),
  /** Ethernet: RoCE. */
  ETHERNET(2);

  private static final LinkLayer[] BY_VALUE = values();

  private final int value;

  LinkLayer(int value) {
    this.value = value;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static LinkLayer of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }
}
