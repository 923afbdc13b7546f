package org.roce4j.verbs;

/** {@code struct ibv_comp_channel}: where completion queues announce completions. Thread-safe. */
public interface CompletionChannel extends AutoCloseable {
  Context context();

  /**
   * {@code ibv_get_cq_event}: waits until a completion queue of this channel has an event and gives
   * that queue. Each event must be acknowledged ({@link CompletionQueue#ackEvents}).
   *
   * @throws VerbsException EINTR if the thread is interrupted; EDEADLK-like ETIMEDOUT never: use
   *     {@link #getCqEvent(long)} to bound the wait
   */
  CompletionQueue getCqEvent();

  /**
   * As {@link #getCqEvent()} for at most that long.
   *
   * @param timeoutNs nanoseconds, 0: do not wait
   * @return the queue, or null if there was none in time
   * @throws VerbsException EINVAL if negative; else as {@link #getCqEvent()}
   */
  CompletionQueue getCqEvent(long timeoutNs);

  /**
   * Called on the edge from no event to one, on a thread of the backend, outside its engine. It
   * must not block. Null removes it.
   */
  void onEvent(Runnable hook);

  /**
   * {@code ibv_destroy_comp_channel}.
   *
   * @throws VerbsException EBUSY while a completion queue uses it
   */
  @Override
  void close();
}
