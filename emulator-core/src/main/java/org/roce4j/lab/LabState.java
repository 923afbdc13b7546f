package org.roce4j.lab;

import java.util.List;
import org.roce4j.emulator.statistics.PsnWindow;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;

/**
 * A lab at one moment.
 *
 * @param nowNs virtual nanoseconds since the beginning
 * @param nextNs when the next thing happens; {@link #NEVER}: nothing is left
 * @param underWay in the order of sending
 */
public record LabState(long nowNs, long nextNs, List<Device> devices, List<LabPacket> underWay) {
  /** In place of a time. */
  public static final long NEVER = Long.MAX_VALUE;

  /**
   * A device.
   *
   * @param key of its memory, as peers must name it
   * @param memory up to its last byte that is not 0, in hexadecimal
   */
  public record Device(
      String name, String address, int key, String memory, List<QueuePair> queuePairs) {}

  /**
   * A queue pair.
   *
   * @param peer its name; empty: none
   * @param key what it names as the key of its peer's memory
   * @param sends posted and not completed, the oldest first, as actions
   * @param receives posted and not taken, the oldest first, as actions
   */
  public record QueuePair(
      String name,
      QpType service,
      QpState state,
      String peer,
      int key,
      PsnWindow window,
      List<String> sends,
      List<String> receives) {}
}
