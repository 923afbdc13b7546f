package org.roce4j.tools.pingpong;

import java.util.Locale;

/** What {@code --service} may say. */
enum ServiceName {
  RC("reliable connection"),
  UC("unreliable connection"),
  UD("unreliable datagram"),
  SRQ("reliable connections on one shared receive queue");

  private final String meaning;

  ServiceName(String meaning) {
    this.meaning = meaning;
  }

  String meaning() {
    return meaning;
  }

  /** Whether this release plays it. */
  boolean enabled() {
    return this == RC;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
