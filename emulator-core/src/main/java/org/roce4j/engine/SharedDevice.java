package org.roce4j.engine;

import java.util.random.RandomGenerator;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.qp.DeviceFacts;
import org.roce4j.engine.queue.PublishedFailure;

/** The device as its engines see it: shared state and the other engines. */
public interface SharedDevice extends DeviceFacts {
  /** The number of engines, a power of two. */
  int engineCount();

  /**
   * One of the engines.
   *
   * @param index 0 to {@link #engineCount} - 1
   */
  Engine engine(int index);

  /** The index of the engine to which a queue pair number belongs. */
  default int engineIndexOf(int qpNum) {
    return qpNum & engineCount() - 1;
  }

  /** The greatest number of bytes that one engine may have in flight to one peer address. */
  long pathWindowBytes();

  /** The source of queue pair numbers. */
  RandomGenerator random();

  /** The paths that address handles and queue pairs use. For the owner of all engines. */
  UserCounts<Path, Path> paths();

  /** Whether a queue pair reads TOS and TTL of datagrams: one of UD writes them to memory. */
  default boolean readsNetworkFields() {
    boolean reads = false;
    for (int i = 0; !reads && i < engineCount(); i++) {
      reads = engine(i).queuePairs().hasDatagramService();
    }
    return reads;
  }

  PublishedFailure failure();

  /** An engine has failed, and with it the device. Called by that engine's owner. */
  void failed(Engine first);

  /**
   * Refuses to make or change objects of a failed device. Any thread may call this.
   *
   * @throws org.roce4j.verbs.VerbsException ENODEV if the device has failed
   */
  void requireSound();
}
