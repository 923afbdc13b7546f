package org.roce4j.junit;

import org.roce4j.verbs.Context;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;

/**
 * Two ends with a datagram queue pair each, in RTS with {@link QpBringUp#QKEY}. What is posted at
 * one end by {@link RdmaEnd#postSend} goes to the other; a receive needs 40 bytes more than the
 * message, for the network header.
 *
 * @param client either end
 * @param server the other
 */
public record UdPair(RdmaEnd client, RdmaEnd server) implements AutoCloseable {
  /** Makes an end on each context. */
  public static UdPair open(Context client, Context server) {
    UdPair pair = new UdPair(new RdmaEnd(client, QpType.UD), new RdmaEnd(server, QpType.UD));
    pair.client.addresses(pair.server.qp());
    pair.server.addresses(pair.client.qp());
    QpBringUp.toRts(pair.client.qp(), QpBringUp.attributes());
    QpBringUp.toRts(pair.server.qp(), QpBringUp.attributes());
    return pair;
  }

  /** Closes both ends; their contexts stay open. */
  @Override
  public void close() {
    client.close();
    server.close();
  }
}
