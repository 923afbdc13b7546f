package org.roce4j.wire.capture;

/** The result of dissecting a captured frame, or one packet of a captured train. */
public sealed interface Dissection {
  /** Not UDP to port 4791. */
  record NotRoce(String what) implements Dissection {}

  /**
   * UDP to port 4791, but not a RoCEv2 packet.
   *
   * @param endpoints source and destination as text
   * @param reason the error, in a few words
   */
  record Malformed(String endpoints, String reason) implements Dissection {
    @Override
    public String toString() {
      return "malformed: " + reason;
    }
  }

  /**
   * A RoCEv2 packet cut short by the capture, so that its ICRC cannot be checked.
   *
   * @param endpoints source and destination as text
   * @param headers the headers that the capture keeps, as text
   * @param missing number of bytes that the capture lacks
   */
  record Truncated(String endpoints, String headers, int missing) implements Dissection {
    @Override
    public String toString() {
      return headers + " ICRC not captured (" + missing + " bytes missing)";
    }
  }

  /** A whole RoCEv2 packet; its ICRC may be wrong. */
  record Roce(RocePacket packet) implements Dissection {
    @Override
    public String toString() {
      return packet.toString();
    }
  }
}
