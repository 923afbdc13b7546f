package org.roce4j.lab;

import java.util.List;
import org.roce4j.emulator.statistics.PsnWindow;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;

/**
 * The state of a lab.
 *
 * @param nowNs virtual nanoseconds since the beginning
 * @param nextNs time of the next event; {@link Deadlines#NEVER} if there is none
 * @param underWay packets in flight, in the order of sending
 */
public record LabState(
    long nowNs, long nextNs, List<DeviceState> devices, List<LabPacket> underWay) {
  /**
   * A device.
   *
   * @param key key of its memory for peers
   * @param memory memory up to its last byte that is not 0, in hexadecimal
   */
  public record DeviceState(
      String name, String address, int key, String memory, List<QueuePairState> queuePairs) {}

  /**
   * A queue pair.
   *
   * @param peer name of its peer; empty: none
   * @param key key that it uses for its peer's memory
   * @param sends actions of posted sends that have not completed, the oldest first
   * @param receives actions of posted receives that were not taken, the oldest first
   */
  public record QueuePairState(
      String name,
      QpType service,
      QpState state,
      String peer,
      int key,
      PsnWindow window,
      List<String> sends,
      List<String> receives) {}
}
