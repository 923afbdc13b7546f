package org.roce4j.port;

import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/**
 * Carries datagrams. Whoever owns the engine may call {@link #receive} and {@link #send}, one
 * thread at a time; if {@link PortCapabilities#anyThread()} is false, only the thread that called
 * {@link #adopt()}. {@link #await} may be called by one thread while another one sends and
 * receives; {@link #wakeup} by any. Nothing that arrives or fails on the wire is an exception: it
 * is counted in {@link #counters()}.
 */
public interface Port extends AutoCloseable {
  /** What it promises; the same for its whole life. */
  PortCapabilities capabilities();

  /** Makes the calling thread the one that drives a port which is bound to a thread. */
  default void adopt() {}

  /** Has every timed sleep of the calling thread end on time, where the system may let it last. */
  default void wakePunctually() {}

  /**
   * Hands over what has arrived, without blocking; all of it, or some if it returns over 0.
   *
   * @param budget about how many datagrams to take at most
   * @return how many datagrams were handed over
   */
  int receive(DatagramSink sink, int budget);

  /**
   * Seals every datagram of the train and sends it. If the kernel refuses the train it is sealed
   * again and sent singly; what cannot be sent is a counted loss.
   */
  void send(Transmit train);

  /**
   * Blocks until a datagram may be there, {@link #wakeup} was called (also before), or that much
   * time has passed. May return early.
   *
   * @param timeoutNs nanoseconds; {@link Deadlines#NEVER} for no limit
   */
  void await(long timeoutNs);

  /** Ends the current or the next {@link #await}. */
  void wakeup();

  /** The clock of this port, nanoseconds since an arbitrary moment. */
  long nowNs();

  /**
   * About when that arrived which {@link #receive} hands over at the moment; for its sink. One
   * reading of the clock serves a batch.
   */
  default long receivedNs() {
    return nowNs();
  }

  /** What is counted below the engine. */
  Counters counters();

  /**
   * Receives datagrams sent to a multicast group as well, on the network of one of its addresses;
   * each says that address ({@link org.roce4j.engine.datagram.Inbound#heardBy}). Counted per group
   * and address, so that every join needs its leave.
   *
   * @param own an address of this port, of the group's IP version
   * @throws org.roce4j.verbs.VerbsException EINVAL if it is no group, or {@code own} no such
   *     address; EOPNOTSUPP, or the errno of the socket
   */
  void join(Gid group, Gid own);

  /** Undoes one {@link #join}. */
  void leave(Gid group, Gid own);

  /**
   * One local address more, from which it sends and under which it receives; by who owns the
   * engine.
   *
   * @throws org.roce4j.verbs.VerbsException as {@link PortProvider#open}, with nothing changed;
   *     EOPNOTSUPP from a port whose addresses do not change
   */
  default void add(Gid address) {
    throw new VerbsException(Errno.EOPNOTSUPP, "the addresses of this port do not change");
  }

  /**
   * One local address less: what is sent from it is a counted loss, what is sent to it is not
   * received. Groups that were joined by it are left before. No effect if it is none; by who owns
   * the engine.
   *
   * @throws org.roce4j.verbs.VerbsException EOPNOTSUPP from a port whose addresses do not change
   */
  default void remove(Gid address) {
    throw new VerbsException(Errno.EOPNOTSUPP, "the addresses of this port do not change");
  }

  /** Releases sockets and memory; idempotent, ends a current {@link #await}. */
  @Override
  void close();
}
