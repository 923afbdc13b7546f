package org.roce4j.connect;

import org.roce4j.verbs.Context;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.RequiredArgument;

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
    return connect(client, options, server, options);
  }

  /**
   * As {@link #connect(Context, Context, ConnectionOptions)}, with options of their own, such as
   * another port or address. Where neither says a path MTU, both have the lesser active one.
   */
  public static RcPair connect(
      Context client,
      ConnectionOptions clientOptions,
      Context server,
      ConnectionOptions serverOptions) {
    RequiredArgument.check(client, "client");
    RequiredArgument.check(clientOptions, "clientOptions");
    RequiredArgument.check(server, "server");
    RequiredArgument.check(serverOptions, "serverOptions");
    Mtu mtu = pathMtu(client, clientOptions, server, serverOptions);
    OwnedObjects made = new OwnedObjects();
    boolean complete = false;
    try {
      Connection left = made.add(Connection.open(client, false, withMtu(clientOptions, mtu), 0));
      Connection right = made.add(Connection.open(server, false, withMtu(serverOptions, mtu), 0));
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

  private static ConnectionOptions withMtu(ConnectionOptions options, Mtu mtu) {
    return options.pathMtu() == null ? options.withPathMtu(mtu) : options;
  }

  /** The path MTU of an end that was given none. */
  private static Mtu pathMtu(Context a, ConnectionOptions of, Context b, ConnectionOptions other) {
    if (of.pathMtu() != null || other.pathMtu() != null) {
      return of.pathMtu() != null ? of.pathMtu() : other.pathMtu();
    }
    Mtu one = a.queryPort(of.portNum()).activeMtu();
    Mtu another = b.queryPort(other.portNum()).activeMtu();
    return one.compareTo(another) < 0 ? one : another;
  }

  /** Closes both ends; their contexts stay open. */
  @Override
  public void close() {
    try (server) {
      client.close();
    }
  }
}
