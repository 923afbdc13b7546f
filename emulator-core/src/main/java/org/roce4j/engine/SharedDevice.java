package org.roce4j.engine;

import java.util.random.RandomGenerator;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.qp.DeviceFacts;
import org.roce4j.engine.queue.PublishedFailure;

/** The device as its engines see it: what they share, and one another. */
public interface SharedDevice extends DeviceFacts {
  /** The number of engines, a power of two. */
  int engineCount();

  /**
   * One of the engines.
   *
   * @param index 0 to {@link #engineCount} - 1
   */
  Engine engine(int index);

  /** The index of the engine that a queue pair's number names. */
  default int engineIndexOf(int qpNum) {
    return qpNum & engineCount() - 1;
  }

  /** Bytes that one engine may have in flight to one peer address. */
  long pathWindowBytes();

  /** Source of queue pair numbers. */
  RandomGenerator random();

  /** The paths that address handles and queue pairs use; the owner of all engines. */
  UserCounts<Path, Path> paths();

  PublishedFailure failure();

  /** An engine has failed, and the device with it; that engine's owner. */
  void failed(Engine first);

  /**
   * @throws org.roce4j.verbs.VerbsException ENODEV if the device has failed; any thread
   */
  void requireSound();
}
