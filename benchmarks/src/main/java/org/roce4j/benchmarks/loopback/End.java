package org.roce4j.benchmarks.loopback;

/** One side of what is measured: of the device, or of its twin. Used by one thread. */
interface End extends AutoCloseable {
  /** What the other side must know to {@link #connect}; one line. */
  String address();

  void connect(String peer);

  /** Sends for that long, then says what was reached and that the run is over. */
  Measurement active(long durationNs);

  /** Serves the active side until it says that the run is over. */
  void passive();

  @Override
  void close();
}
