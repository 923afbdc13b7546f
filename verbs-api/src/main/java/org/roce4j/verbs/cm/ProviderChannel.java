package org.roce4j.verbs.cm;

import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;

/**
 * What a backend provides of an event channel. Implemented by backends; programs use {@link
 * EventChannel}. Thread-safe.
 */
public interface ProviderChannel extends AutoCloseable {
  /**
   * A new id of this channel, not bound to an address.
   *
   * @param qpType RC, UC, UD, XRC_SEND or XRC_RECV: the transport that the messages name
   * @throws VerbsException ENOMEM at a limit
   */
  ProviderId createId(PortSpace ps, QpType qpType);

  /**
   * Takes the next report of an id of this channel. Reports of an id come in the order of its
   * events.
   *
   * @param timeoutNs nanoseconds, 0: do not wait, {@link Long#MAX_VALUE}: forever
   * @return the report, or null if there was none in time
   * @throws VerbsException EINTR if the thread is interrupted, and stays so, EINVAL if the channel
   *     is closed meanwhile; ETIMEDOUT as {@link org.roce4j.verbs.CompletionChannel#getCqEvent()}
   */
  ProviderReport take(long timeoutNs);

  /** The clock by which {@link #take} waits, in nanoseconds from an arbitrary origin. */
  long nowNs();

  /**
   * Sets the readiness hook; null removes it. As {@link
   * org.roce4j.verbs.CompletionChannel#onEvent}.
   */
  void onEvent(Runnable hook);

  /** Closes the channel, whose ids are all closed already. */
  @Override
  void close();
}
