package org.roce4j.tools.perf.traffic;

import java.util.Locale;

/** The tests, named after perftest's programs. */
public enum PerfTest {
  SEND_BW(Verb.SEND, false),
  SEND_LAT(Verb.SEND, true),
  WRITE_BW(Verb.WRITE, false),
  WRITE_LAT(Verb.WRITE, true),
  READ_BW(Verb.READ, false),
  READ_LAT(Verb.READ, true),
  ATOMIC_BW(Verb.ATOMIC, false),
  ATOMIC_LAT(Verb.ATOMIC, true);

  private final Verb verb;
  private final boolean latency;

  PerfTest(Verb verb, boolean latency) {
    this.verb = verb;
    this.latency = latency;
  }

  /** The verb that is posted. */
  public Verb verb() {
    return verb;
  }

  /** Whether one message is under way at a time. */
  public boolean latency() {
    return latency;
  }

  /** Whether the server's program sends or receives; otherwise only its device answers. */
  public boolean serverPlays() {
    return verb == Verb.SEND || this == WRITE_LAT;
  }

  /** The program of perftest. */
  public String program() {
    return "ib_" + this;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
