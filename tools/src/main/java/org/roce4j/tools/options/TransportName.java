package org.roce4j.tools.options;

import java.util.Locale;

/** The values of {@code --transport}. */
public enum TransportName {
  /** The best port that works here. */
  AUTO,
  /** UDP through FFM, with trains. */
  LINUX,
  /** UDP through Netty, on every system. */
  NETTY,
  /** The virtual network in virtual time: no socket. */
  FABRIC;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
