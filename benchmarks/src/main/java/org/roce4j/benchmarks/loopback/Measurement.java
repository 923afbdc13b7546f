package org.roce4j.benchmarks.loopback;

/**
 * What one run gave.
 *
 * @param value Gb/s of payload, or the median half round trip in microseconds
 * @param allocated bytes that the measuring thread allocated
 * @param packets packets with data that it sent
 */
record Measurement(double value, long allocated, long packets) {
  private static final String WORD = "result";

  double allocatedPerPacket() {
    return packets == 0 ? 0 : (double) allocated / packets;
  }

  String line() {
    return WORD + " " + value + " " + allocated + " " + packets;
  }

  static Measurement parse(String line) {
    String[] words = line.split(" ", -1);
    if (words.length != 4 || !words[0].equals(WORD)) {
      throw new IllegalStateException("an end answered: " + line);
    }
    return new Measurement(
        Double.parseDouble(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
  }
}
