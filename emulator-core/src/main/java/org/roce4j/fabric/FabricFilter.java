package org.roce4j.fabric;

import java.nio.ByteBuffer;
import java.util.List;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.verbs.Gid;

/**
 * Decides about single datagrams, beside the random faults: "drop the third READ response". It is
 * called on the thread that makes the fabric run and calls nothing of devices or fabric. A datagram
 * about which it throws passes; what it throws is told ({@link Fabric#onThrown}).
 */
@FunctionalInterface
public interface FabricFilter {
  /** It meets no fault. */
  List<FaultAction> PASS = List.of();

  /** It never arrives. */
  List<FaultAction> DROP = List.of(FaultAction.DROP);

  /**
   * Called once per datagram and link, before the random faults.
   *
   * @param source who sent it
   * @param destination the receiver's address (not the group, when it was sent to one)
   * @param buffer holds the sealed datagram; not to be changed or kept
   * @param at offset of BTH
   * @param length bytes including the ICRC
   * @param n how many datagrams this link was given so far, this one included: the first is 1
   * @return its faults, in this order; {@link #PASS}: nothing
   */
  List<FaultAction> decide(
      Gid source, Gid destination, ByteBuffer buffer, int at, int length, long n);
}
