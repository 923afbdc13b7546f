package org.roce4j.wire.capture;

/** What a piece of a capture turned out to be. */
public sealed interface Dissection {
  /** Something else than UDP to port 4791. */
  record NotRoce(String what) implements Dissection {}

  /**
   * UDP to port 4791 that is no RoCEv2 packet.
   *
   * @param endpoints source and destination as text
   * @param reason what is wrong, in a few words
   */
  record Malformed(String endpoints, String reason) implements Dissection {
    @Override
    public String toString() {
      return "malformed: " + reason;
    }
  }

  /**
   * A RoCEv2 packet that the capture has cut off: its ICRC cannot be checked.
   *
   * @param endpoints source and destination as text
   * @param headers those headers that were kept, as text
   * @param missing bytes that were not kept
   */
  record Truncated(String endpoints, String headers, int missing) implements Dissection {
    @Override
    public String toString() {
      return headers + " ICRC not captured (" + missing + " bytes missing)";
    }
  }

  /** A whole RoCEv2 packet, its ICRC right or wrong. */
  record Roce(RocePacket packet) implements Dissection {
    @Override
    public String toString() {
      return packet.toString();
    }
  }
}
