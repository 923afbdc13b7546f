package org.roce4j.connect;

import org.roce4j.verbs.Context;
import org.roce4j.verbs.Mtu;

/**
 * Two ends of a reliable connection in one process. Both may be used on one thread: when a send
 * returns, the message has arrived.
 *
 * <pre>{@code
 * try (RcPair pair = RcPair.connect(client, server)) {
 *   pair.client().send("hello");
 *   assertEquals("hello", pair.server().receiveString());
 * }
 * }</pre>
 *
 * @param client either end
 * @param server the other
 */
public record RcPair(Connection client, Connection server) implements AutoCloseable {
  /** Connects an end on each context. */
  public static RcPair connect(Context client, Context server) {
    return connect(client, server, ConnectionOptions.DEFAULT);
  }

  /**
   * Connects an end on each context; the contexts stay open. Both first PSNs are 0, so that a run
   * on a virtual network is repeatable.
   */
  public static RcPair connect(Context client, Context server, ConnectionOptions options) {
    ConnectionOptions both = options.pathMtu() == null ? withMtu(client, server, options) : options;
    OwnedObjects made = new OwnedObjects();
    boolean complete = false;
    try {
      Connection left = made.add(Connection.open(client, false, both, 0));
      Connection right = made.add(Connection.open(server, false, both, 0));
      left.toRts(right.ownAddress());
      right.toRts(left.ownAddress());
      complete = true;
      return new RcPair(left, right);
    } finally {
      if (!complete) {
        made.close();
      }
    }
  }

  private static ConnectionOptions withMtu(Context a, Context b, ConnectionOptions options) {
    Mtu one = a.queryPort(1).activeMtu();
    Mtu other = b.queryPort(1).activeMtu();
    return options.withPathMtu(one.compareTo(other) < 0 ? one : other);
  }

  /** Closes both ends; their contexts stay open. */
  @Override
  public void close() {
    try (server) {
      client.close();
    }
  }
}
