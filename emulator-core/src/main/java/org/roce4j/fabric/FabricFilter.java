package org.roce4j.fabric;

import java.nio.ByteBuffer;
import java.util.List;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.verbs.Gid;

/**
 * Decides about single datagrams, independently of random faults: "drop the third READ response".
 * The thread that runs the fabric calls it; it must not call devices or the fabric. If it throws,
 * the datagram passes, and {@link Fabric#onThrown} gets the exception.
 */
@FunctionalInterface
public interface FabricFilter {
  /** No fault. */
  List<FaultAction> PASS = List.of();

  /** The datagram is dropped. */
  List<FaultAction> DROP = List.of(FaultAction.DROP);

  /**
   * Called once per datagram and link, before the random faults.
   *
   * @param source the sender's address
   * @param destination the receiver's address, also for a datagram to a group
   * @param buffer holds the sealed datagram; must not be changed or kept
   * @param at index of the BTH
   * @param length length in bytes including the ICRC
   * @param n number of the datagram on this link, from 1
   * @return faults to apply in this order; {@link #PASS}: none
   */
  List<FaultAction> decide(
      Gid source, Gid destination, ByteBuffer buffer, int at, int length, long n);
}
