package org.roce4j.conformance.dialogue;

import org.roce4j.verbs.Gid;
import org.roce4j.wire.capture.RocePacket;

/**
 * The far end of a link to a device, where a dialogue sends and receives. Times are nanoseconds of
 * the wire's own clock.
 */
public interface Wire extends AutoCloseable {
  /** The address of this end. */
  Gid address();

  /** The device's address. */
  Gid device();

  /**
   * Sends the bytes from BTH to pad. The wire adds the ICRC, and takes source, destination, traffic
   * class and hop limit from the IP header.
   */
  void send(RocePacket packet);

  /**
   * Waits for the next packet.
   *
   * @param untilNs time at which the wait ends; on a virtual wire the clock then shows exactly this
   *     time
   * @return null if none came
   */
  Heard next(long untilNs);

  /** Nanoseconds of the wire's clock: virtual on the fabric, the machine's on a socket. */
  long nowNs();

  /** The longest time for an immediate answer; 0 in virtual time. */
  long patienceNs();

  /** Sends a packet that arrives with a wrong ICRC. */
  void sendDamaged(RocePacket packet);

  /**
   * Whether the device is an emulator of this version, so that every bit is known. Other devices
   * choose MigReq, credits and additional AckReq bits themselves.
   */
  boolean everyBit();

  @Override
  void close();

  /** A packet and the time of its arrival. */
  record Heard(long atNs, RocePacket packet) {}
}
