package org.roce4j.port;

import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/**
 * Carries datagrams. The owner of the engine calls {@link #receive} and {@link #send}, one thread
 * at a time; if {@link PortCapabilities#anyThread()} is false, only the thread that called {@link
 * #adopt()} may. One thread may call {@link #await} while another sends and receives. Any thread
 * may call {@link #wakeup}. Failures on the wire and malformed datagrams cause no exceptions; they
 * are counted in {@link #counters()}.
 */
public interface Port extends AutoCloseable {
  /** The abilities of this port, which never change. */
  PortCapabilities capabilities();

  /**
   * Makes the calling thread the thread that drives this port, if the port is bound to a thread.
   */
  default void adopt() {}

  /**
   * Asks the system to end timed sleeps of the calling thread punctually, if it would otherwise
   * prolong them.
   */
  default void wakePunctually() {}

  /**
   * Hands over datagrams that have arrived, without blocking. If it returns more than 0, further
   * datagrams may be waiting.
   *
   * @param budget approximate greatest number of datagrams to hand over
   * @return the number of datagrams handed over
   */
  int receive(DatagramSink sink, int budget);

  /**
   * Seals every datagram of the train and sends the train. If the kernel refuses trains, its
   * datagrams are sealed again and sent one by one. A datagram that cannot be sent is counted as
   * lost.
   */
  void send(Transmit train);

  /**
   * Blocks until a datagram may have arrived, {@link #wakeup} is or was called, or the timeout has
   * passed. May return early.
   *
   * @param timeoutNs timeout in nanoseconds; {@link Deadlines#NEVER} for none
   */
  void await(long timeoutNs);

  /** Ends the current or the next {@link #await}. */
  void wakeup();

  /** The clock of this port, nanoseconds since an arbitrary moment. */
  long nowNs();

  /**
   * The approximate time at which the datagram arrived that {@link #receive} is handing over. One
   * reading of the clock serves a batch.
   */
  default long receivedNs() {
    return nowNs();
  }

  /** The counters of this port. */
  Counters counters();

  /**
   * Joins a multicast group on the network of one of this port's addresses. A datagram to the group
   * names that address ({@link org.roce4j.engine.datagram.Inbound#heardBy}). Joins are counted per
   * group and address, so each needs its own {@link #leave}.
   *
   * @param own an address of this port, of the group's IP version
   * @throws org.roce4j.verbs.VerbsException EINVAL if {@code group} is not a multicast group or
   *     {@code own} not such an address; EOPNOTSUPP; or the errno of the socket
   */
  void join(Gid group, Gid own);

  /** Undoes one {@link #join}. */
  void leave(Gid group, Gid own);

  /**
   * Adds a local address, from which this port then sends and at which it receives. Only the owner
   * of the engine calls this.
   *
   * @throws org.roce4j.verbs.VerbsException as {@link PortProvider#open}, with nothing changed;
   *     EOPNOTSUPP from a port whose addresses do not change
   */
  default void add(Gid address) {
    throw new VerbsException(Errno.EOPNOTSUPP, "the addresses of this port do not change");
  }

  /**
   * Removes a local address: datagrams sent from it are then counted as lost, and datagrams to it
   * are not received. The caller first leaves groups joined by it. Does nothing if it is not an
   * address of this port. Only the owner of the engine calls this.
   *
   * @throws org.roce4j.verbs.VerbsException EOPNOTSUPP from a port whose addresses do not change
   */
  default void remove(Gid address) {
    throw new VerbsException(Errno.EOPNOTSUPP, "the addresses of this port do not change");
  }

  /** Releases sockets and memory and ends a current {@link #await}. Idempotent. */
  @Override
  void close();
}
