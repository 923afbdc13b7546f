package org.roce4j.tools.cm;

import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.EventChannel;

/** The handling of connection events that commands share. */
final class ConnectionEvents {
  private ConnectionEvents() {}

  /**
   * Waits for an event of a kind. Any other ends the command, except the end of an earlier
   * connection's time wait.
   */
  static <E extends CmEvent> E take(EventChannel channel, Class<E> kind) {
    CmEvent event = channel.getCmEvent();
    while (event instanceof CmEvent.TimewaitExit) {
      event.ack();
      event = channel.getCmEvent();
    }
    return demand(event, kind);
  }

  /** The event as one of a kind; any other is acknowledged and ends the command. */
  static <E extends CmEvent> E demand(CmEvent event, Class<E> kind) {
    if (!kind.isInstance(event)) {
      event.ack();
      throw ToolFailure.atRunTime(
          "cma event %s, error %d: %s".formatted(event.type().text(), event.status(), event));
    }
    return kind.cast(event);
  }

  /**
   * Starts a thread that ends the connection when the peer does. Then its receives are flushed, and
   * threads that wait for them go on. The thread ends with the channel.
   *
   * @param stop what to do besides when the connection is over
   */
  static void disconnectWithPeer(EventChannel channel, Runnable stop) {
    Thread.ofPlatform().daemon().name("cm-events").start(() -> serve(channel, stop));
  }

  private static void serve(EventChannel channel, Runnable stop) {
    try {
      while (true) {
        try (CmEvent event = channel.getCmEvent()) {
          if (ends(event)) {
            stop.run();
          }
        }
      }
    } catch (VerbsException e) {
      // The channel is closed.
    }
  }

  /** Does what an event asks of a connection; returns whether the connection is over. */
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

  /** Tells the peer, unless both ends have said so already. */
  static void disconnectQuietly(CmId id) {
    try {
      id.disconnect();
    } catch (VerbsException e) {
      // The connection has ended already.
    }
  }
}
