package org.roce4j.emulator;

import java.util.List;
import java.util.Map;
import org.roce4j.emulator.statistics.PsnWindow;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.VerbsException;

/** The operations that only an emulated device has, such as pulling its cable. */
public interface EmulatedDevice extends RdmaDevice {
  /**
   * Takes port 1 down or up. While it is down (PORT_ERR) nothing is sent and arrivals are lost;
   * queue pairs keep their state and retry. Up again, it raises PORT_ACTIVE. Thread-safe; has no
   * effect before the device is opened.
   */
  default void port(boolean up) {
    port(1, up);
  }

  /**
   * As {@link #port(boolean)}, for one of several ports.
   *
   * @throws VerbsException EINVAL if there is no such port
   */
  void port(int portNum, boolean up);

  /**
   * Gives all ports another P_Key table, as a subnet manager does. The initial table has one entry,
   * the default partition. Contexts get PKEY_CHANGE if the new table differs; a queue pair keeps
   * its index and uses the key of the new table there, or none. Thread-safe.
   *
   * @param table 16 bits each: the partition, and bit 15 for a full member
   * @throws VerbsException EINVAL if the table is empty, longer than 128, or a key has more than 16
   *     bits; ENODEV before the device is opened, and after a failure
   */
  void pkeys(int... table);

  /**
   * Adds an address to port 1, as the operating system does, at the lowest index of the GID table
   * that is empty and not in use. Contexts get GID_CHANGE. The device keeps the address until its
   * last context is closed. Thread-safe.
   *
   * @param address on sockets, an address of this machine
   * @throws VerbsException EINVAL if no device can have the address; EEXIST if this device has it;
   *     EADDRINUSE or EADDRNOTAVAIL as for opening, ENOSPC if the table is full, EOPNOTSUPP from a
   *     port whose addresses do not change; ENODEV before the device is opened, and after a failure
   */
  default void addAddress(Gid address) {
    addAddress(1, address);
  }

  /**
   * As {@link #addAddress(Gid)}, for one of several ports.
   *
   * @throws VerbsException EINVAL if there is no such port
   */
  void addAddress(int portNum, Gid address);

  /**
   * Removes an address from port 1, as the operating system does. Contexts get GID_CHANGE; the
   * entry of the GID table reads zero, and no object can be created with its index (EINVAL).
   * Address handles and queue pairs with the address keep it: packets that they send are lost,
   * packets to them do not arrive, and a reliable queue pair fails after its retries
   * (RETRY_EXC_ERR). While any of them exists, the index is not given to another address.
   * Thread-safe.
   *
   * @throws VerbsException EADDRNOTAVAIL if the port does not have the address; EBUSY if it is the
   *     only one, or the last one of its IP version while a queue pair is attached to a multicast
   *     group of that version; EOPNOTSUPP and ENODEV as {@link #addAddress}
   */
  default void removeAddress(Gid address) {
    removeAddress(1, address);
  }

  /**
   * As {@link #removeAddress(Gid)}, for one of several ports.
   *
   * @throws VerbsException EINVAL if there is no such port
   */
  void removeAddress(int portNum, Gid address);

  /**
   * Makes a shared receive queue fail, as an internal error would (SRQ_ERR): it gives out no
   * receive requests and accepts none (EIO), and its queue pairs go to ERR (QP_FATAL and
   * QP_LAST_WQE_REACHED). Intended for tests of such failures. Thread-safe.
   *
   * @throws VerbsException EINVAL if it is null, destroyed, or belongs to another device
   */
  void fail(SharedReceiveQueue srq);

  /**
   * Makes the device fail, as an internal error would: queue pairs go to ERR and are flushed,
   * contexts get DEVICE_FATAL, and objects can only be closed. Intended for tests of such failures.
   * Thread-safe; has no effect before the device is opened.
   *
   * @param why reason in the messages of later refusals
   */
  void fail(String why);

  /**
   * The number of send and receive requests that completed successfully; 0 before the device is
   * opened.
   */
  long completed();

  /**
   * A clause for each queue pair with outstanding requests and each thread that waits in a verb,
   * such as {@code QP 0x3f RC RTS on roce1 has no receive posted; 40,000 RNR NAKs went to QP 0x11
   * RC RTS on roce0}. Read without stopping the device, for messages. Thread-safe.
   */
  List<String> waitsFor();

  /**
   * The PSNs of the queue pairs; empty before the device is opened. Read without stopping the
   * device, so they may be inconsistent unless the calling thread runs the device. Thread-safe.
   */
  List<PsnWindow> psnWindows();

  /**
   * Remembers, from now on, the line of the program that creates each object, for {@link
   * #openObjects}. Intended for tests, because each object then takes a stack walk of a few
   * microseconds.
   */
  void rememberOrigins();

  /**
   * The contexts and their objects that were created since {@link #rememberOrigins} and are not
   * closed, in the order of creation, with the lines of the program that created them. Thread-safe.
   */
  Map<AutoCloseable, StackTraceElement> openObjects();
}
