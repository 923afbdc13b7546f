package org.roce4j.conformance.backend;

import java.util.function.BooleanSupplier;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

/** Two contexts whose devices reach each other. Closing it closes both. */
public interface Link extends AutoCloseable {
  /** The device that is held against the specification. */
  Context near();

  /** Its peer, most often of the same backend. */
  Context far();

  /** The address of {@link #near}. */
  Gid nearAddress();

  /** The address of {@link #far}. */
  Gid farAddress();

  /** The index of its address in the near device's GID table. */
  int nearGidIndex();

  /** The index of its address in the far device's GID table. */
  int farGidIndex();

  /** Nanoseconds of the network's clock. */
  long nowNs();

  /**
   * How much later than due something may happen: 0 in virtual time. Lower bounds of times are
   * strict everywhere.
   */
  long patienceNs();

  /**
   * Asks the condition, which polls, until it holds, the time is over, or nothing is left to
   * happen.
   *
   * @return whether it holds
   */
  boolean await(BooleanSupplier condition, long timeoutNs);

  /**
   * Takes the near device's port down or up.
   *
   * @throws IllegalStateException without {@link Capability#PORT_CONTROL}
   */
  void port(boolean up);

  /**
   * Gives the near device one more address, under which the far device reaches it.
   *
   * @throws IllegalStateException without {@link Capability#ADDRESS_CONTROL}
   */
  default Gid addAddress() {
    throw new IllegalStateException(Capability.ADDRESS_CONTROL.absence());
  }

  /**
   * Takes an address from the near device.
   *
   * @throws IllegalStateException without {@link Capability#ADDRESS_CONTROL}
   */
  default void removeAddress(Gid address) {
    throw new IllegalStateException(Capability.ADDRESS_CONTROL.absence());
  }

  /**
   * Another context on a third device, of whose objects there are only a few; the same device each
   * time. Closed with the link.
   *
   * @throws IllegalStateException without {@link Capability#SMALL_DEVICE}
   */
  default Context small() {
    throw new IllegalStateException(Capability.SMALL_DEVICE.absence());
  }

  /**
   * Another context on a device with two ports, which the far device reaches by either; the same
   * device each time. Closed with the link.
   *
   * @throws IllegalStateException without {@link Capability#SEVERAL_PORTS}
   */
  default Context twoPorts() {
    throw new IllegalStateException(Capability.SEVERAL_PORTS.absence());
  }

  /**
   * Takes a port of the device of {@link #twoPorts} down or up.
   *
   * @throws IllegalStateException without {@link Capability#SEVERAL_PORTS}
   */
  default void port(int portNum, boolean up) {
    throw new IllegalStateException(Capability.SEVERAL_PORTS.absence());
  }

  @Override
  void close();
}
