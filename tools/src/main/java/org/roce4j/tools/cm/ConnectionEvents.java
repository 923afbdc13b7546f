package org.roce4j.tools.cm;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.text.Wording;

/** The handling of connection events that commands share. */
final class ConnectionEvents {
  private static final long NOTE_NS = TimeUnit.SECONDS.toNanos(ConnectionWait.NOTE_S);

  private ConnectionEvents() {}

  /**
   * Waits for an event of a kind. Any other event ends the command, except the end of an earlier
   * connection's time wait.
   *
   * @param note receives the object of a long wait, for a message
   */
  static <E extends CmEvent> E take(EventChannel channel, Class<E> kind, Consumer<String> note) {
    return demand(any(channel, kind, note), kind);
  }

  /** As {@link #take}, but accepts any event except the end of a time wait. */
  static CmEvent any(EventChannel channel, Class<? extends CmEvent> kind, Consumer<String> note) {
    CmEvent event = next(channel, NOTE_NS);
    if (event == null) {
      note.accept(
          Wording.of(
              "waiting for %s: the request is repeated, and given up after about a minute",
              kind.getSimpleName()));
      event = next(channel, Long.MAX_VALUE);
    }
    return event;
  }

  /** The next event except the end of a time wait; null if none arrived in time. */
  static CmEvent next(EventChannel channel, long timeoutNs) {
    CmEvent event = channel.getCmEvent(timeoutNs);
    while (event instanceof CmEvent.TimewaitExit) {
      event.ack();
      event = channel.getCmEvent(timeoutNs);
    }
    return event;
  }

  /**
   * Accepts a request.
   *
   * @throws ToolFailure if the peer has left meanwhile
   */
  static void accept(CmId id, ConnParam param) {
    try {
      id.accept(param);
    } catch (VerbsException e) {
      if (e.errno() != Errno.EINVAL) {
        throw e;
      }
      throw ToolFailure.atRunTime("the peer left before it was accepted: " + e.getMessage(), e);
    }
  }

  /** The event as one of a kind. An event of another kind is acknowledged and ends the command. */
  static <E extends CmEvent> E demand(CmEvent event, Class<E> kind) {
    if (!kind.isInstance(event)) {
      event.ack();
      String said =
          Wording.of("cma event %s, error %d: %s", event.type().text(), event.status(), event);
      throw ToolFailure.atRunTime(
          event instanceof CmEvent.Disconnected ? words(event) + ": " + said : said);
    }
    return kind.cast(event);
  }

  /**
   * The events of one connection. When the connection is over, its requests are flushed.
   *
   * @param stop an additional action when the connection is over
   */
  static ConnectionWait.Events of(CmId id, Runnable stop) {
    return () -> {
      try (CmEvent event = id.channel().getCmEvent(0)) {
        if (event == null || !ends(event)) {
          return null;
        }
        stop.run();
        return words(event);
      }
    };
  }

  /** The end of a connection. */
  static String words(CmEvent event) {
    return event instanceof CmEvent.Disconnected ? "the peer disconnected" : event.toString();
  }

  /** Handles an event of a connection. Returns whether the connection is over. */
  static boolean ends(CmEvent event) {
    return switch (event) {
      case CmEvent.Disconnected over -> {
        stop(over.id());
        disconnectQuietly(over.id());
        yield true;
      }
      case CmEvent.Rejected over -> stop(over.id());
      case CmEvent.Unreachable over -> stop(over.id());
      case CmEvent.ConnectError over -> stop(over.id());
      case CmEvent.DeviceRemoval over -> stop(over.id());
      default -> false;
    };
  }

  private static boolean stop(CmId id) {
    QueuePair qp = id.qp();
    try {
      if (qp != null) {
        qp.modify(new QpAttr().qpState(QpState.ERR));
      }
    } catch (VerbsException e) {
      // The thread that uses it has destroyed it.
    }
    return true;
  }

  /** Informs the peer, unless both ends have disconnected already. */
  static void disconnectQuietly(CmId id) {
    try {
      id.disconnect();
    } catch (VerbsException e) {
      // The connection has ended already.
    }
  }
}
