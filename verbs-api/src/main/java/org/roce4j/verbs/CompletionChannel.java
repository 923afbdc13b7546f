package org.roce4j.verbs;

/**
 * {@code struct ibv_comp_channel}: completion queues announce completions through it. Thread-safe.
 */
public interface CompletionChannel extends AutoCloseable {
  /** The opened device that it was made with. */
  Context context();

  /**
   * {@code ibv_get_cq_event}: waits until a completion queue of this channel has an event and gives
   * that queue. Each event must be acknowledged ({@link CompletionQueue#ackEvents}).
   *
   * <p>A virtual thread may wait. On emulated devices it releases its carrier and another thread
   * wakes it, which costs about 18 us. On hardware it pins its carrier: keep the number of such
   * waits below the number of carriers ({@code jdk.virtualThreadScheduler.parallelism}).
   *
   * <p>An interrupted thread takes an event that is there, as {@code read} does when a signal comes
   * late: its interrupt flag stays set and ends the wait that comes next.
   *
   * @throws VerbsException EINTR if the thread is interrupted, and stays so, EINVAL if the channel
   *     is destroyed meanwhile, ENODEV if the device is; ETIMEDOUT only on a virtual network in
   *     which no event is pending and no other thread can cause one; a slow thread is waited for
   */
  CompletionQueue getCqEvent();

  /**
   * As {@link #getCqEvent()}, for at most {@code timeoutNs}.
   *
   * @param timeoutNs nanoseconds, 0: do not wait
   * @return the queue, or null if there was none in time
   * @throws VerbsException EINVAL if negative; else as {@link #getCqEvent()}
   */
  CompletionQueue getCqEvent(long timeoutNs);

  /**
   * The file descriptor ({@code ibv_comp_channel.fd}), which is readable while events wait; for
   * {@code epoll} of native code. It does not block when read through this channel. In Java a hook
   * is the way into an event loop: {@link #onEvent}.
   *
   * @throws VerbsException EOPNOTSUPP on emulated devices, which have none; EINVAL if the channel
   *     is destroyed
   */
  default int fd() {
    throw Errno.EOPNOTSUPP.refusal("there is no descriptor here: wake the event loop by onEvent");
  }

  /**
   * Sets the readiness hook, such as the wake-up of an event loop; null removes it. {@code
   * selector::wakeup} brings a thread that blocks in {@link java.nio.channels.Selector#select()}
   * back, {@code () -> loop.execute(this::drain)} makes an event loop take the events.
   *
   * <p>The hook is called when an event arrives and none was waiting, and when it is set while
   * events wait. If other threads take events, it may be called without an event. It should take
   * events with {@code getCqEvent(0)} until none is left, or make a thread of the program do so.
   *
   * <p>It runs on the thread that ran the device's engine, after the engine was released. That may
   * be the caller's own, inside any verb such as {@code postSend} or {@code poll}; another thread
   * of the program; or a thread of the backend. No lock of the device is held: the hook may call
   * any verb, even those that destroy its own object. Hooks do not nest on a thread: a hook that
   * becomes due while another runs is called when that one returns. Two threads may call it at
   * once.
   *
   * <p>It must not block: the thread has other work, and some backends have no other thread to
   * receive with. An exception goes to the thread's uncaught exception handler and has no other
   * effect. Removing the hook does not wait for a call in progress.
   *
   * @throws VerbsException EINVAL if the channel is destroyed; a hook can be removed nevertheless
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
