package org.roce4j.conformance.dialogue;

import org.roce4j.verbs.Gid;
import org.roce4j.wire.capture.RocePacket;

/**
 * The far end of a link to a device, from which a dialogue speaks and where it listens. Time is in
 * nanoseconds of the wire's own clock.
 */
public interface Wire extends AutoCloseable {
  /** An address of this end, by which the device knows it. */
  Gid address();

  /** The device's address. */
  Gid device();

  /**
   * Sends the bytes from BTH to pad; the wire seals the ICRC, and takes source, destination,
   * traffic class and hop limit from the IP header.
   */
  void send(RocePacket packet);

  /**
   * Waits for the next packet.
   *
   * @param untilNs give up when it has not come by then; on a virtual wire the clock then stands
   *     exactly there
   * @return null if none came
   */
  Heard next(long untilNs);

  /** Nanoseconds of the wire's clock: virtual on the fabric, the machine's on a socket. */
  long nowNs();

  /** How long an answer that is due at once may take: 0 in virtual time. */
  long patienceNs();

  /** Sends a packet whose ICRC does not fit it when it arrives. */
  void sendDamaged(RocePacket packet);

  /**
   * Whether the device is ours, so that every bit is known; otherwise MigReq, credits and
   * additional AckReq bits are its own business.
   */
  boolean everyBit();

  @Override
  void close();

  /** What arrived, and when. */
  record Heard(long atNs, RocePacket packet) {}
}
