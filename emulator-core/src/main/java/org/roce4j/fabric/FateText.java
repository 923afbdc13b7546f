package org.roce4j.fabric;

import org.roce4j.options.Quantity;

/** The fate of a datagram in words, for captures and the lab. */
public final class FateText {
  private FateText() {}

  /** {@code lost: random loss}, or {@code lost by} the rule of a plan. */
  public static String dropped(FabricDatagram datagram, DropReason reason) {
    return reason == DropReason.FILTERED ? "lost" + by(datagram) : "lost: " + reason.text();
  }

  /** {@code duplicated}, with the rule of a plan if one did it. */
  public static String duplicated(FabricDatagram datagram) {
    return "duplicated" + by(datagram);
  }

  /** {@code 3 bits flipped}, with the rule of a plan if one did it. */
  public static String corrupted(FabricDatagram datagram, int bits) {
    return bits + " bits flipped" + by(datagram);
  }

  /** {@code cut by 20 bytes}, with the rule of a plan if one did it. */
  static String cut(FabricDatagram datagram, int bytes) {
    return "cut by " + bytes + " bytes" + by(datagram);
  }

  /** {@code marked CE}, with the rule of a plan if one did it. */
  static String marked(FabricDatagram datagram) {
    return "marked CE" + by(datagram);
  }

  /** {@code held back for 2ms}, with the rule of a plan if one did it. */
  public static String delayed(FabricDatagram datagram, long delayNs) {
    return "held back for " + Quantity.TIME.print(delayNs) + by(datagram);
  }

  private static String by(FabricDatagram datagram) {
    return datagram.fate.reason().isEmpty() ? "" : " by " + datagram.fate.reason();
  }
}
