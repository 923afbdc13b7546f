package org.roce4j.benchmarks.loopback;

/** What is measured, on a device and on its twin alike. */
public enum Workload {
  WRITE_64K("RDMA WRITE 64 KiB", 1 << 16, false),
  WRITE_1M("RDMA WRITE 1 MiB", 1 << 20, false),
  PING_PONG_POLLING("SEND 64 B, polling", 64, false),
  PING_PONG_EVENTS("SEND 64 B, events", 64, true);

  private final String title;
  private final int bytes;
  private final boolean events;

  Workload(String title, int bytes, boolean events) {
    this.title = title;
    this.bytes = bytes;
    this.events = events;
  }

  /** Words for people. */
  public String title() {
    return title;
  }

  /** Bytes of a message. */
  int bytes() {
    return bytes;
  }

  /** Whether both ends sleep until something arrives. */
  boolean events() {
    return events;
  }

  /** Half round trips of small messages; otherwise a one-way stream. */
  public boolean latency() {
    return bytes == 64;
  }

  /** What a figure of this workload counts. */
  public String unit() {
    return latency() ? "us" : "Gb/s";
  }

  /** Packets that carry one message, path MTU 4096. */
  int packets() {
    return Math.max(1, bytes / 4096);
  }
}
