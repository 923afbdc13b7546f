package org.roce4j.verbs;

/**
 * {@code struct ibv_td}: promises that one thread at a time uses the objects of its parent domains
 * ({@link Context#allocParentDomain}), so that a driver may leave out locks. An emulated device
 * accepts the domain and locks as before.
 */
public interface ThreadDomain extends AutoCloseable {
  /** The opened device that it was allocated on. */
  Context context();

  /** A dense number of this object within its context. */
  int handle();

  /**
   * {@code ibv_dealloc_td}.
   *
   * @throws VerbsException EBUSY while a parent domain of it exists
   */
  @Override
  void close();
}
