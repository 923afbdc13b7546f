package org.roce4j.junit;

import java.util.function.Consumer;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;

/**
 * Two ends of a reliable connection, both queue pairs in RTS.
 *
 * <pre>{@code
 * try (RcPair pair = RcPair.connect(client, server)) {
 *   pair.server().postReceive(1, 0, 64);
 *   pair.client().memory().setString(0, "ping");
 *   pair.client().postSend(2, 0, 5);
 *   assertEquals(WcStatus.SUCCESS, pair.server().next().status());
 * }
 * }</pre>
 *
 * @param client either end
 * @param server the other
 */
public record RcPair(RdmaEnd client, RdmaEnd server) implements AutoCloseable {
  /** Connects an end on each context, with the attributes of {@link QpBringUp#attributes()}. */
  public static RcPair connect(Context client, Context server) {
    return connect(client, server, attr -> {});
  }

  /**
   * Connects an end on each context.
   *
   * @param attributes changes the attributes of each queue pair, such as {@code attr ->
   *     attr.timeout(16).retryCnt(2)}
   */
  public static RcPair connect(Context client, Context server, Consumer<QpAttr> attributes) {
    return connect(new RdmaEnd(client, QpType.RC), new RdmaEnd(server, QpType.RC), attributes);
  }

  /** Connects two ends, which this pair closes. */
  public static RcPair connect(RdmaEnd client, RdmaEnd server, Consumer<QpAttr> attributes) {
    QpAttr ofClient = RdmaEnd.toward(server.qp());
    QpAttr ofServer = RdmaEnd.toward(client.qp());
    attributes.accept(ofClient);
    attributes.accept(ofServer);
    QpBringUp.toRts(client.qp(), ofClient);
    QpBringUp.toRts(server.qp(), ofServer);
    return new RcPair(client, server);
  }

  /** Closes both ends; their contexts stay open. */
  @Override
  public void close() {
    client.close();
    server.close();
  }
}
