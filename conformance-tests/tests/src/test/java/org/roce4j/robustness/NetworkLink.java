package org.roce4j.robustness;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.WcStatus;

/** A connection over which one thread asks and another replies. */
final class NetworkLink implements AutoCloseable {
  private static final int RECEIVES = 4;
  private static final int BYTES = 64;

  /** The work request ids of receives begin here. */
  private static final long FIRST_RECEIVE = 1000;

  /** Much longer than an exchange takes, even if packets are lost. */
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);

  /** 0.5 s: on a busy machine the thread that runs the peer's engine may get no processor. */
  private static final int ACK_TIMEOUT_ON_SOCKETS = 17;

  /** The way in which a thread waits for a message. */
  enum Waiting {
    CHANNEL,
    CHANNEL_FOR_A_TIME,
    POLL
  }

  private final RcSide client;
  private final RcSide server;
  private final Waiting waiting;

  NetworkLink(AnyNetwork network, Waiting waiting) {
    this.waiting = waiting;
    client = new RcSide(network.device(), BYTES);
    server = new RcSide(network.device(), BYTES);
    RcSide.connect(client, server, network.isVirtual() ? 14 : ACK_TIMEOUT_ON_SOCKETS, 7);
    for (RcSide side : List.of(client, server)) {
      for (int i = 0; i < RECEIVES; i++) {
        receive(side);
      }
    }
  }

  /** Makes the calling thread known to the network: it waits no longer for a stranger. */
  void join() {
    hasMessage(client);
  }

  void ask() {
    send(client);
  }

  void takeRequest() {
    take(server);
  }

  void reply() {
    send(server);
  }

  void takeReply() {
    take(client);
  }

  private static void send(RcSide side) {
    int errno = side.send(0, 0, BYTES);
    if (errno != 0) {
      throw new AssertionError("a message was refused: " + errno);
    }
  }

  private static void receive(RcSide side) {
    int errno = side.receive(FIRST_RECEIVE, 0, BYTES);
    if (errno != 0) {
      throw new AssertionError("a receive was refused: " + errno);
    }
  }

  private void take(RcSide side) {
    while (!hasMessage(side)) {
      if (waiting != Waiting.POLL) {
        side.cq.requestNotification(false);
        if (hasMessage(side)) {
          return;
        }
        await(side);
      }
    }
  }

  private void await(RcSide side) {
    CompletionQueue cq =
        waiting == Waiting.CHANNEL
            ? side.channel.getCqEvent()
            : side.channel.getCqEvent(PATIENCE_NS);
    if (cq == null) {
      throw new AssertionError("no message came in " + PATIENCE_NS + " ns");
    }
    cq.ackEvents(1);
  }

  /** Polls, and takes at most one message: there never is another. */
  private static boolean hasMessage(RcSide side) {
    boolean has = false;
    for (RcSide.Completion done : side.poll()) {
      if (done.status() != WcStatus.SUCCESS) {
        throw new AssertionError(done.toString());
      }
      if (done.wrId() >= FIRST_RECEIVE) {
        receive(side);
        has = true;
      }
    }
    return has;
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
