package org.roce4j.tools.cm;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/**
 * The end that listens, READs and WRITEs back. One thread takes the events of all connections; each
 * connection has a thread of its own.
 */
final class RpingServer {
  private static final int BACKLOG = 3;
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(500);

  private final RdmaCm cm;
  private final RpingCommand command;
  private final Map<CmId, RpingConnection> connections = new ConcurrentHashMap<>();

  /** Connections that are over, whose threads may not have closed their objects yet. */
  private final List<RpingConnection> over = new ArrayList<>();

  private record RpingConnection(RpingEnd end, CompletableFuture<Void> done) {}

  RpingServer(RdmaCm cm, RpingCommand command) {
    this.cm = cm;
    this.command = command;
  }

  /**
   * Serves one client, or with {@code persistent} every client.
   *
   * @throws org.roce4j.tools.console.ToolFailure if the connection failed
   */
  void run(InetSocketAddress at, boolean persistent) {
    EventChannel channel = cm.createEventChannel();
    CmId listener = channel.createId(PortSpace.TCP);
    listener.bindAddr(at);
    listener.listen(BACKLOG);
    command.debug("rdma_listen at " + listener.localAddr());
    CompletableFuture<Void> ended = null;
    while (ended == null) {
      try (CmEvent event = channel.getCmEvent(LOOK_NS)) {
        ended = event == null ? null : handle(event, persistent);
      }
      ended = ended == null ? failed(persistent) : ended;
      over.removeIf(RpingServer::closed);
    }
    await(ended);
  }

  private static boolean closed(RpingConnection connection) {
    if (connection.done().isDone()) {
      connection.end().id().close();
    }
    return connection.done().isDone();
  }

  /** The connection that failed on this side: the peer may never confirm its end. */
  private CompletableFuture<Void> failed(boolean persistent) {
    return connections.values().stream()
        .map(RpingConnection::done)
        .filter(each -> !persistent && each.isCompletedExceptionally())
        .findFirst()
        .orElse(null);
  }

  /** The connection that has ended, if it is the one that was waited for. */
  private CompletableFuture<Void> handle(CmEvent event, boolean persistent) {
    command.debug("cma_event type " + event.type().text());
    if (event instanceof CmEvent.ConnectRequest) {
      request(event.id(), persistent);
    } else if (ConnectionEvents.ends(event)) {
      command.warn("server DISCONNECT EVENT...");
      RpingConnection ended = connections.remove(event.id());
      if (ended == null) {
        return null;
      }
      ended.end().stop();
      over.add(ended);
      return persistent ? null : ended.done();
    }
    return null;
  }

  private static void await(CompletableFuture<Void> connection) {
    try {
      connection.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException told ? told : e;
    }
  }

  /** A client that fails does not end the service for others. */
  private void request(CmId id, boolean persistent) {
    if (!persistent && !connections.isEmpty()) {
      id.close();
      return;
    }
    try {
      accept(id);
    } catch (VerbsException | ToolFailure e) {
      if (!persistent) {
        throw e;
      }
      command.warn(e.getMessage());
      id.close();
    }
  }

  /** The connection is over for the thread of events when all that it made is closed. */
  private void accept(CmId id) {
    RpingEnd end = new RpingEnd(id, command.size(), command.ownQueues(), false, command::warn);
    boolean accepted = false;
    try {
      end.accept();
      accepted = true;
    } finally {
      if (!accepted) {
        end.close();
      }
    }
    CompletableFuture<Void> done =
        CompletableFuture.runAsync(
            () -> serve(end), Thread.ofPlatform().name("rping-server").daemon()::start);
    connections.put(id, new RpingConnection(end, done));
  }

  private void serve(RpingEnd end) {
    try (end) {
      while (end.hear() && pong(end)) {
        // Until the client disconnects.
      }
    } catch (RuntimeException e) {
      command.warn(e.getMessage());
      throw e;
    } finally {
      ConnectionEvents.disconnectQuietly(end.id());
    }
  }

  /** One round after the client has told of its source buffer; false if it has gone. */
  private boolean pong(RpingEnd end) {
    if (!end.read()) {
      return false;
    }
    if (command.verbose()) {
      command.print("server ping data: " + end.data().getString(0, StandardCharsets.US_ASCII));
    }
    long withZero = Math.min(RpingEnd.textLength(end.data()) + 1, end.data().byteSize());
    return end.goAhead() && end.hear() && end.write(withZero) && end.goAhead();
  }
}
