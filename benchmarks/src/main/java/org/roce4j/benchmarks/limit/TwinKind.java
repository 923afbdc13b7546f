package org.roce4j.benchmarks.limit;

/** The work of a twin for each packet. */
public enum TwinKind {
  /** Trains by segmentation offload, a CRC-32 on both sides, one copy into place. */
  WORK("trains, CRC and copy"),

  /** Trains by segmentation offload, and nothing more. */
  TRAINS("trains alone"),

  /** A system call for each datagram, and nothing more. */
  SINGLES("single datagrams"),

  /** One datagram there and one back. */
  PING_PONG("datagram there and back");

  private final String title;

  TwinKind(String title) {
    this.title = title;
  }

  /** The name in a report. */
  public String title() {
    return title;
  }
}
