package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.text.Wording;

/** {@code struct ibv_cq}. Thread-safe; polling allocates nothing. */
public interface CompletionQueue extends AutoCloseable {
  /** The opened device that it was made with. */
  Context context();

  /** A dense number of this object within its context. */
  int handle();

  /**
   * What the program gave at creation ({@code cq_context}), such as the object that takes its
   * completions; may be null.
   */
  Object userContext();

  /** The channel given at creation, or null. */
  CompletionChannel channel();

  /** The number of entries that it can hold; at least the requested number. */
  int cqe();

  /**
   * {@code ibv_poll_cq} into raw memory.
   *
   * @param view memory that holds the array; its address is subtracted from {@code address}
   * @param address absolute address of an array of {@code struct ibv_wc}
   * @param max entries that fit, 0 or more
   * @return how many completions were written, or a negative errno: EIO after an overflow of this
   *     queue, EINVAL if it was destroyed or {@code max} is negative, EFAULT if the array is not in
   *     the memory, or the memory is read-only, on the heap, freed or confined to another thread;
   *     no completion is lost then
   * @throws VerbsException EINVAL if {@code view} is null
   */
  @CheckReturnValue
  int poll(MemorySegment view, long address, int max);

  /** {@code ibv_poll_cq} of at most {@code max} completions. */
  @CheckReturnValue
  default int poll(WorkCompletions completions, int max) {
    RequiredArgument.check(completions, "completions");
    return poll(completions.memory(), completions.address(), Math.min(max, completions.capacity()));
  }

  /** {@code ibv_poll_cq} of as many completions as fit. */
  @CheckReturnValue
  default int poll(WorkCompletions completions) {
    RequiredArgument.check(completions, "completions");
    return poll(completions.memory(), completions.address(), completions.capacity());
  }

  /**
   * {@code ibv_poll_cq} of as many completions as fit, for programs that would rather have an
   * exception than an errno.
   *
   * @return how many completions were written
   * @throws VerbsException the errno of {@link #poll(MemorySegment, long, int)}, and why
   */
  default int pollOrThrow(WorkCompletions completions) {
    int count = poll(completions);
    if (count < 0) {
      throw RefusedPost.poll(this, -count);
    }
    return count;
  }

  /**
   * Says why a completion of this queue bears an error: the completion, and a reason as far as this
   * process knows one. An emulated device knows what its queue pair found wrong, and what the peer
   * found wrong where that is a device of the same process; else the words are those of {@link
   * Explanation}. Ask before the queue pair is destroyed: the reason is kept with it. Not for the
   * data path: it asks the device and allocates.
   *
   * @param completions filled by {@link #poll} of this queue
   * @param index of the entry
   * @throws VerbsException EINVAL if {@code completions} is null or has no such entry, EFAULT if it
   *     was freed or is another thread's
   */
  default String whyFailed(WorkCompletions completions, int index) {
    checkIndex(completions, index);
    WcStatus status = completions.status(index);
    String text = completions.toString(index);
    return status == null || status == WcStatus.SUCCESS
        ? text
        : text + ": " + Explanation.of(status).meaning();
  }

  /** The check of {@link #whyFailed}, for backends. */
  static void checkIndex(WorkCompletions completions, int index) {
    int capacity = RequiredArgument.check(completions, "completions").capacity();
    RequiredArgument.checkRange(index, 0, capacity - 1, "index");
    RequiredArgument.checkReadable(completions.memory(), "completions");
  }

  /** A description of this queue, such as {@code CQ 3 on roce0}. */
  default String describe() {
    return Wording.of("CQ %d on %s", handle(), context().device().name());
  }

  /**
   * {@code ibv_req_notify_cq}: one event for the next completion. Completions already in the queue
   * raise no event: arm, then poll again.
   *
   * @param solicitedOnly whether only a solicited receive or an error raises the event
   */
  void requestNotification(boolean solicitedOnly);

  /**
   * {@code ibv_ack_cq_events}.
   *
   * @param count 0 or more; a count above the number of delivered events acknowledges all of them
   * @throws VerbsException EINVAL if negative
   */
  void ackEvents(int count);

  /**
   * {@code ibv_resize_cq}.
   *
   * @throws VerbsException EINVAL if out of range or fewer than the completions it holds
   */
  void resize(int cqe);

  /**
   * {@code ibv_modify_cq}: completions that arrive while the queue is armed share an event, which
   * is raised by the {@code count}-th of them or {@code periodUs} after the first.
   *
   * @throws VerbsException EOPNOTSUPP if the device does not moderate events
   */
  default void modify(CqModeration moderation) {
    RequiredArgument.check(moderation, "moderation");
    throw Errno.EOPNOTSUPP.refusal(
        "this device raises an event as soon as an armed queue has a completion");
  }

  /**
   * {@code ibv_destroy_cq}; waits until every delivered event is acknowledged.
   *
   * @throws VerbsException EBUSY while a queue pair uses it
   */
  @Override
  void close();
}
