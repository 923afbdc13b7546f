package org.roce4j.verbs.cm;

import java.util.concurrent.atomic.AtomicReference;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * Where the events of an id arrive: on a channel of the program, or, for a synchronous id, on a
 * private channel from which its calls take them. Its monitor is held while the channel changes.
 */
final class Delivery {
  private final CmId id;
  private final CmEventDebt debt = new CmEventDebt();
  private volatile EventChannel channel;
  private volatile boolean synchronous;
  private volatile boolean ended;
  private final AtomicReference<CmEvent> last = new AtomicReference<>();

  Delivery(CmId id, EventChannel channel) {
    this.id = id;
    this.channel = channel;
  }

  CmEventDebt debt() {
    return debt;
  }

  EventChannel channel() {
    return channel;
  }

  boolean synchronous() {
    return synchronous;
  }

  /** The channel is the id's private one. */
  void ownChannel() {
    synchronous = true;
  }

  CmEvent last() {
    return last.get();
  }

  /** The event becomes that of the last call. */
  void keep(CmEvent event) {
    acknowledge(last.getAndSet(event));
    if (ended) {
      acknowledge(); // the id was closed meanwhile, and nobody asks for the event any more
    }
  }

  /** Waits for the outcome of a call of a synchronous id. */
  void complete() {
    if (synchronous) {
      checkOutcome(outcome());
    }
  }

  /** As {@link #complete}, for a call whose success is a connection that stands. */
  void completeConnected() {
    if (synchronous) {
      CmEvent event = outcome();
      checkOutcome(event);
      if (event instanceof CmEvent.Disconnected) {
        throw new VerbsException(Errno.ECONNRESET, event + ": the peer has left at once");
      }
    }
  }

  private CmEvent outcome() {
    CmEvent event = take();
    keep(event);
    return event;
  }

  /** Acknowledges the event of the last call, and waits for the next one. */
  CmEvent take() {
    acknowledge();
    return channel.getCmEvent();
  }

  /**
   * Refuses an outcome that is not success.
   *
   * @throws VerbsException ECONNREFUSED for REJECTED, ENODEV for DEVICE_REMOVAL; else the errno of
   *     the status
   */
  void checkOutcome(CmEvent event) {
    int status = event.status();
    if (event instanceof CmEvent.DeviceRemoval) {
      throw new VerbsException(Errno.ENODEV, event + ": its context was closed");
    }
    boolean rejected = event instanceof CmEvent.Rejected; // the reason is the peer's, 0 perhaps
    if (rejected || status != 0) {
      Errno errno = rejected ? Errno.ECONNREFUSED : Errno.of(Math.abs(status));
      throw new VerbsException(errno == null ? Errno.EIO : errno, words(event));
    }
  }

  private String words(CmEvent event) {
    return event
        + switch (event) {
          case CmEvent.Rejected rejected
              when rejected.reason().orElse(null) == RejectReason.INVALID_SERVICE_ID ->
              ": nobody listens at that port";
          case CmEvent.Rejected rejected -> ": event() has the peer's private data";
          case CmEvent.Unreachable unreachable -> ": does the peer listen at that address?";
          default -> "";
        };
  }

  void acknowledge() {
    acknowledge(last.getAndSet(null));
  }

  private static void acknowledge(CmEvent event) {
    if (event != null) {
      event.ack();
    }
  }

  /** Acknowledges the last event of a synchronous call; refuses if the thread holds another. */
  void settle() {
    acknowledge();
    debt.checkNotOwn();
  }

  /** To a channel of the program, or to a private one if {@code to} is null. */
  void migrate(EventChannel to) {
    synchronized (this) {
      if (synchronous && to == null) {
        throw new VerbsException(Errno.EINVAL, id + " is synchronous already");
      }
      if (to != null) {
        to.checkTakes(id);
      }
      settle();
      if (to == null) {
        becomeSynchronous();
      } else {
        moveTo(to);
      }
    }
    debt.awaitNone();
  }

  /** To another channel. A private one ends, although requests of the id may still be on it. */
  private void moveTo(EventChannel to) {
    if (ended) {
      throw new VerbsException(Errno.EINVAL, id + " is closed");
    }
    id.provided().migrate(to.provided());
    EventChannel before = channel;
    channel = to;
    if (synchronous) {
      before.end();
      synchronous = false; // last, see follow
    }
  }

  /**
   * The id of a request is synchronous if its listener is. If that has moved since the request was
   * reported, and ended the channel, the id goes where it went.
   */
  void follow(Delivery listener) {
    if (listener.synchronous) {
      becomeSynchronous();
    } else if (channel.ended()) {
      synchronized (this) {
        moveTo(listener.channel);
      }
    }
  }

  /** To a private channel. */
  synchronized void becomeSynchronous() {
    EventChannel own = id.cm().createEventChannel();
    boolean moved = false;
    try {
      moveTo(own);
      moved = true;
    } finally {
      if (!moved) {
        own.end();
      }
    }
    synchronous = true;
  }

  /** The id is closed, and its private channel with it. */
  synchronized void close() {
    ended = true;
    acknowledge();
    if (synchronous) {
      channel.end();
    }
  }
}
