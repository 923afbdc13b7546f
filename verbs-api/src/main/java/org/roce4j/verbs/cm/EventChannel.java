package org.roce4j.verbs.cm;

import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.UsedObject;
import org.roce4j.verbs.VerbsException;

/**
 * {@code struct rdma_event_channel}: where the events of ids arrive, from every device of its
 * connection manager. Thread-safe: several threads may take events.
 *
 * <p>Some of the library's work is done by the thread that takes an event: when a peer has
 * accepted, it brings the queue pair to RTR and RTS and confirms to the peer.
 */
public final class EventChannel implements AutoCloseable {
  private final RdmaCm cm;
  private final ProviderChannel provided;
  private volatile boolean closed;

  EventChannel(RdmaCm cm, ProviderChannel provided) {
    this.cm = cm;
    this.provided = provided;
  }

  ProviderChannel provided() {
    return provided;
  }

  /** Refuses ids that cannot be told here. */
  void checkTakes(CmId id) {
    if (closed || id.cm() != cm) {
      throw new VerbsException(
          Errno.EINVAL,
          "the channel " + (closed ? "is closed" : "is of another connection manager"));
    }
  }

  /**
   * {@code rdma_create_id}: an asynchronous id. Its calls return at once, and their outcome is an
   * event of this channel.
   *
   * @param userContext handed back by {@link CmId#userContext}; ids of its requests inherit it; may
   *     be null
   * @throws VerbsException ENOMEM at a limit, EINVAL if the channel is closed
   */
  public CmId createId(PortSpace ps, Object userContext) {
    RequiredArgument.check(ps, "ps");
    return createId(ps, ps.qpType(), userContext);
  }

  /** As {@link #createId(PortSpace, Object)} without context. */
  public CmId createId(PortSpace ps) {
    return createId(ps, null);
  }

  CmId createId(PortSpace ps, QpType qpType, Object userContext) {
    return cm.add(
        new CmId(cm, this, provided.createId(ps, qpType), ps, qpType, userContext, Resources.NONE));
  }

  /**
   * {@code rdma_get_cm_event}: waits for an event. It must be acknowledged.
   *
   * @throws VerbsException EINTR if the thread is interrupted, and stays so, EINVAL if the channel
   *     is closed meanwhile, ENODEV if the contexts of all its devices are closed; ETIMEDOUT only
   *     as {@link org.roce4j.verbs.CompletionChannel#getCqEvent()}
   */
  public CmEvent getCmEvent() {
    return getCmEvent(Long.MAX_VALUE);
  }

  /**
   * As {@link #getCmEvent()}, for at most {@code timeoutNs}.
   *
   * @param timeoutNs nanoseconds, 0: do not wait
   * @return the event, or null if there was none in time
   * @throws VerbsException EINVAL if negative; else as {@link #getCmEvent()}
   */
  public CmEvent getCmEvent(long timeoutNs) {
    RequiredArgument.checkNotNegative(timeoutNs, "timeoutNs");
    boolean limited = timeoutNs > 0 && timeoutNs < Long.MAX_VALUE;
    long startNs = limited ? provided.nowNs() : 0;
    long leftNs = timeoutNs;
    while (true) {
      ProviderReport report = provided.take(leftNs);
      if (report == null) {
        return null;
      }
      CmEvent event = ReportedEvent.of(cm, this, report);
      if (event != null) {
        return event;
      }
      if (limited) {
        leftNs = Math.max(0, timeoutNs - (provided.nowNs() - startNs));
      }
    }
  }

  /**
   * Sets the readiness hook, such as the wake-up of an event loop; null removes it. {@link
   * org.roce4j.verbs.CompletionChannel#onEvent} says when and where it is called and what it may
   * do; it should take events with {@code getCmEvent(0)} until none is left.
   *
   * @throws VerbsException EINVAL if the channel is closed
   */
  public void onEvent(Runnable hook) {
    provided.onEvent(hook);
  }

  /**
   * {@code rdma_destroy_event_channel}. Idempotent.
   *
   * @throws VerbsException EBUSY while ids of it are open
   */
  @Override
  public void close() {
    var left = cm.idsOf(this);
    if (!left.isEmpty()) {
      throw new VerbsException(Errno.EBUSY, UsedObject.words(this, left, _ -> "id"));
    }
    end();
  }

  boolean ended() {
    return closed;
  }

  /** Closes it although ids of it may be open, which are about to be closed. */
  void end() {
    closed = true;
    cm.remove(this);
    provided.close();
  }

  @Override
  public String toString() {
    return "event channel of " + cm;
  }
}
