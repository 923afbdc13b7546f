package org.roce4j.fabric;

import java.util.Set;
import org.roce4j.options.Quantity;
import org.roce4j.port.fault.Fate;
import org.roce4j.port.fault.FaultAction.Kind;

/** The fate of a datagram in words, for captures and the lab. */
public final class FateText {
  private FateText() {}

  /** {@code lost: random loss}, or {@code lost by} the rule of a plan. */
  public static String dropped(FabricDatagram datagram, DropReason reason) {
    return reason == DropReason.FILTERED
        ? "lost" + by(datagram.fate.reason())
        : "lost: " + reason.text();
  }

  /** {@code duplicated}, with the rules of a plan that did it. */
  public static String duplicated(FabricDatagram datagram) {
    return "duplicated" + by(datagram, Fate.DUPLICATING);
  }

  /** {@code 3 bits flipped}, with the rules of a plan that did it. */
  public static String corrupted(FabricDatagram datagram, int bits) {
    return bits + " bits flipped" + by(datagram, Fate.DAMAGING);
  }

  /** {@code cut by 20 bytes}, with the rules of a plan that did it. */
  public static String cut(FabricDatagram datagram, int bytes) {
    return "cut by " + bytes + " bytes" + by(datagram, Fate.CUTTING);
  }

  /** {@code marked CE}, with the rules of a plan that did it. */
  public static String marked(FabricDatagram datagram) {
    return "marked CE" + by(datagram, Fate.MARKING);
  }

  /** {@code forged}, with the rules of a plan that did it. */
  public static String forged(FabricDatagram original) {
    return "forged" + by(original, Fate.FORGING);
  }

  /** {@code held back for 2ms}, with the rules of a plan that did it. */
  public static String delayed(FabricDatagram datagram, long delayNs) {
    return "held back for " + Quantity.TIME.print(delayNs) + by(datagram, Fate.DELAYING);
  }

  private static String by(FabricDatagram datagram, Set<Kind> kinds) {
    return by(datagram.fate.reason(kinds));
  }

  private static String by(String reason) {
    return reason.isEmpty() ? "" : " by " + reason;
  }
}
