package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * An XRC domain ({@code struct ibv_xrcd}): a target queue pair ({@link QpType#XRC_RECV}) delivers
 * to any shared receive queue of its domain, whose number each message carries. Thread-safe.
 */
public interface XrcDomain extends AutoCloseable {
  /** The opened device that it was opened with; each process has a handle of its own. */
  Context context();

  /** A dense number of this object within its context. */
  int handle();

  /** A description of this domain, such as {@code XRC domain 3 on roce0}. */
  default String describe() {
    return Wording.of("XRC domain %d on %s", handle(), context().device().name());
  }

  /**
   * {@code ibv_close_xrcd}: the domain itself ends when its last handle is closed.
   *
   * @throws VerbsException EBUSY while a shared receive queue or queue pair that was made or opened
   *     with this handle exists
   */
  @Override
  void close();
}
