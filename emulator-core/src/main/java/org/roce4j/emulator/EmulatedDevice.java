package org.roce4j.emulator;

import java.util.List;
import java.util.Map;
import org.roce4j.emulator.statistics.PsnWindow;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.VerbsException;

/** What only an emulated device can do, such as have its cable pulled. */
public interface EmulatedDevice extends RdmaDevice {
  /**
   * Takes port 1 down (PORT_ERR; nothing is sent, what arrives is lost) or brings it up again
   * (PORT_ACTIVE). Queue pairs keep their state and retry. Thread-safe; no effect before the device
   * is opened.
   */
  default void port(boolean up) {
    port(1, up);
  }

  /**
   * {@link #port(boolean)} of one of several ports.
   *
   * @throws VerbsException EINVAL if there is no such port
   */
  void port(int portNum, boolean up);

  /**
   * Gives all ports another P_Key table, as a subnet manager does: one entry, the default
   * partition, until then. Contexts are told (PKEY_CHANGE) if the table differs from the one
   * before; a queue pair keeps its index and has the key that the new table holds there, or none.
   * Thread-safe.
   *
   * @param table 16 bits each: the partition, and bit 15 for a full member
   * @throws VerbsException EINVAL if the table is empty, longer than 128, or a key is longer;
   *     ENODEV before the device is opened, and after a failure
   */
  void pkeys(int... table);

  /**
   * Gives port 1 one more address, as the operating system does, at the lowest index of the GID
   * table that is empty and not in use. Contexts are told (GID_CHANGE). The device has it until its
   * last context is closed. Thread-safe.
   *
   * @param address on sockets, one of this machine
   * @throws VerbsException EINVAL if no device can have the address; EEXIST if this one has it;
   *     EADDRINUSE or EADDRNOTAVAIL as opening it would, ENOSPC if the table is full, EOPNOTSUPP
   *     from a port whose addresses do not change; ENODEV before the device is opened, and after a
   *     failure
   */
  default void addAddress(Gid address) {
    addAddress(1, address);
  }

  /** {@link #addAddress(Gid)} of one of several ports; EINVAL if there is no such port. */
  void addAddress(int portNum, Gid address);

  /**
   * Takes an address from port 1, as the operating system does. Contexts are told (GID_CHANGE); the
   * entry of the GID table reads zero, and nothing new is made with its index (EINVAL). Address
   * handles and queue pairs that have it keep it: what they send is lost, what is sent to them does
   * not arrive, and a reliable queue pair gives up after its retries (RETRY_EXC_ERR). While one of
   * them is there the index is not given to another address. Thread-safe.
   *
   * @throws VerbsException EADDRNOTAVAIL if it has no such address; EBUSY if that is the only one,
   *     or the last of its IP version while a queue pair is attached to a multicast group of that
   *     version; EOPNOTSUPP and ENODEV as {@link #addAddress}
   */
  default void removeAddress(Gid address) {
    removeAddress(1, address);
  }

  /** {@link #removeAddress(Gid)} of one of several ports; EINVAL if there is no such port. */
  void removeAddress(int portNum, Gid address);

  /**
   * Makes a shared receive queue fail, as an internal error of the device would (SRQ_ERR): it gives
   * out no receive any more and takes none (EIO), and its queue pairs go to ERR (QP_FATAL, and
   * QP_LAST_WQE_REACHED). For tests of that; thread-safe.
   *
   * @throws VerbsException EINVAL if it is null, destroyed, or not of this device
   */
  void fail(SharedReceiveQueue srq);

  /**
   * Makes the device fail, as an internal error would: queue pairs go to ERR and are flushed,
   * contexts are told (DEVICE_FATAL), and objects can only be closed. For tests of that.
   * Thread-safe; no effect before the device is opened.
   *
   * @param why the reason in the messages of later refusals
   */
  void fail(String why);

  /**
   * The number of send and receive requests that completed with success; 0 before the device is
   * opened.
   */
  long completed();

  /**
   * What its queue pairs and the threads in its verbs wait for, a clause each, such as {@code QP
   * 0x3f RC RTS on roce1 has no receive posted; 40,000 RNR NAKs went to QP 0x11 RC RTS on roce0}.
   * For people: it is read without stopping the device. Thread-safe.
   */
  List<String> waitsFor();

  /**
   * The PSNs of its queue pairs; empty before the device is opened. They are read without stopping
   * the device, so on a thread that does not run it they may be inconsistent. Thread-safe.
   */
  List<PsnWindow> psnWindows();

  /**
   * From now on remembers which line of the program makes each object, for {@link #openObjects}.
   * Each object then costs a stack walk of a few microseconds: for tests.
   */
  void rememberOrigins();

  /**
   * The contexts, and the objects in them, that were made since {@link #rememberOrigins} and are
   * not closed, in the order in which they were made, and the lines of the program that made them.
   * Thread-safe.
   */
  Map<AutoCloseable, StackTraceElement> openObjects();
}
