package org.roce4j.connect;

import org.roce4j.verbs.Context;

/**
 * Two ends for datagrams in one process. Each sends to the other until {@link DatagramEnd#to} says
 * otherwise.
 *
 * @param client either end
 * @param server the other
 */
public record UdPair(DatagramEnd client, DatagramEnd server) implements AutoCloseable {
  /** Makes an end on each context. */
  public static UdPair connect(Context client, Context server) {
    return connect(client, server, ConnectionOptions.DEFAULT);
  }

  /** Makes an end on each context; the contexts stay open. */
  public static UdPair connect(Context client, Context server, ConnectionOptions options) {
    return connect(client, options, server, options);
  }

  /** Makes an end on each context, with options of their own, such as another port or address. */
  public static UdPair connect(
      Context client,
      ConnectionOptions clientOptions,
      Context server,
      ConnectionOptions serverOptions) {
    OwnedObjects made = new OwnedObjects();
    boolean complete = false;
    try {
      DatagramEnd left = made.add(DatagramEnd.open(client, clientOptions));
      DatagramEnd right = made.add(DatagramEnd.open(server, serverOptions));
      UdPair pair = new UdPair(left.to(right.address()), right.to(left.address()));
      complete = true;
      return pair;
    } finally {
      if (!complete) {
        made.close();
      }
    }
  }

  /** Closes both ends; their contexts stay open. */
  @Override
  public void close() {
    try (server) {
      client.close();
    }
  }
}
