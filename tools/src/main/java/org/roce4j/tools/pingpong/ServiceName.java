package org.roce4j.tools.pingpong;

import java.util.Locale;

/** What {@code --service} may say. */
enum ServiceName {
  /** Reliable connection. */
  RC(new ReliableConnection(), 4096, 1),
  /** Unreliable connection. */
  UC(new UnreliableConnection(), 4096, 1),
  /** Unreliable datagram. */
  UD(new UnreliableDatagram(), 1024, 1),
  /** Reliable connections on one shared receive queue. */
  SRQ(new SharedReceives(), 4096, 16);

  private final PingPongService service;
  private final long defaultSize;
  private final int defaultQps;

  ServiceName(PingPongService service, long defaultSize, int defaultQps) {
    this.service = service;
    this.defaultSize = defaultSize;
    this.defaultQps = defaultQps;
  }

  PingPongService service() {
    return service;
  }

  /** Bytes of a message, where the C program has the same default. */
  long defaultSize() {
    return defaultSize;
  }

  /** Queue pairs of each end, where the C program has the same default. */
  int defaultQps() {
    return defaultQps;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
