package org.roce4j.tools.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.CmOption;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.text.Wording;
import picocli.CommandLine;

/**
 * The run of {@code ucmatose} (connections) and {@code udaddy} (datagram services): the requested
 * number of ids connect or are accepted, then each sends its messages. The server of connections
 * sends first, the client of datagrams. Used by one thread.
 */
final class MessageTest {
  private static final int TIMEOUT_MS = 2000;
  private static final long NOTE_NS = TimeUnit.SECONDS.toNanos(ConnectionWait.NOTE_S);

  private final String name;
  private final PortSpace ps;
  private final MessageOptions options;
  private final Integer ackTimeout;
  private final Speech speech;
  private final Map<CmId, MessageNode> nodes = new LinkedHashMap<>();
  private final List<MessageNode> connected = new ArrayList<>();
  private EventChannel channel;
  private final ConnectionWait wait;
  private int ended;

  /**
   * A run.
   *
   * @param ackTimeout of the queue pairs, 1 to 31; null: as the route has it
   * @param printer with the outputs
   */
  MessageTest(
      String name, PortSpace ps, MessageOptions options, Integer ackTimeout, CommandLine printer) {
    this.name = name;
    this.ps = ps;
    this.options = options;
    this.ackTimeout = ackTimeout;
    speech = new Speech(name, printer);
    wait = new ConnectionWait(this::hear, speech::note);
  }

  private boolean datagrams() {
    return ps.qpType() == QpType.UD;
  }

  void serve(RdmaCm cm, InetSocketAddress at, boolean migrate) {
    channel = cm.createEventChannel();
    CmId listener = channel.createId(ps);
    listener.bindAddr(at);
    listener.listen(0);
    speech.say(name + ": starting server");
    run(cm, listener, !datagrams(), migrate);
  }

  void connect(RdmaCm cm, InetAddress from, InetSocketAddress to, boolean migrate) {
    speech.say(name + ": starting client");
    channel = cm.createEventChannel();
    speech.say(name + ": connecting");
    for (int i = 0; i < options.connections(); i++) {
      InetSocketAddress source = from == null ? null : new InetSocketAddress(from, 0);
      channel.createId(ps).resolveAddr(source, to, TIMEOUT_MS);
    }
    run(cm, null, datagrams(), migrate);
  }

  private void run(RdmaCm cm, CmId listener, boolean first, boolean migrate) {
    try {
      awaitConnections(listener != null);
      transfer(first);
      if (migrate) {
        migrate(cm, listener);
      }
      if (!datagrams()) {
        disconnect(listener != null);
      }
    } finally {
      nodes.values().forEach(MessageNode::close);
    }
    speech.say("test complete");
    speech.say("return status 0");
  }

  /**
   * An id whose peer has left already can neither send nor be replaced. A peer that was killed does
   * not say so, and is asked.
   */
  private void awaitConnections(boolean server) {
    boolean noted = server;
    while (connected.size() < options.connections()) {
      boolean heard = step(noted && connected.isEmpty() ? Long.MAX_VALUE : NOTE_NS);
      if (ended > 0) {
        throw ToolFailure.atRunTime("the peer disconnected: " + progress());
      }
      if (!heard && !noted) {
        noted = true;
        speech.note("waiting for the peer's answers: " + progress());
      }
      if (!heard) {
        connected.forEach(node -> node.ask(this::progress));
      }
    }
    connected.forEach(node -> node.awaitAnswer(this::progress));
  }

  private String progress() {
    return Wording.of("%d of %d connections were made", connected.size(), options.connections());
  }

  /** Handles the next event; false if there was none in time. */
  private boolean step(long timeoutNs) {
    try (CmEvent event = channel.getCmEvent(timeoutNs)) {
      if (event != null) {
        handle(event);
      }
      return event != null;
    }
  }

  private String hear() {
    while (step(0)) {
      // Each that has come.
    }
    return ended > 0 ? "the peer disconnected" : null;
  }

  private void handle(CmEvent event) {
    CmId id = event.id();
    switch (event) {
      case CmEvent.AddrResolved resolved -> {
        options.apply(id);
        if (ackTimeout != null) {
          id.setOption(CmOption.ACK_TIMEOUT, ackTimeout);
        }
        id.resolveRoute(TIMEOUT_MS);
      }
      case CmEvent.RouteResolved resolved ->
          node(id)
              .id()
              .connect(
                  new ConnParam()
                      .responderResources(1)
                      .initiatorDepth(1)
                      .retryCount(5)
                      .rnrRetryCount(0));
      case CmEvent.ConnectRequest request -> request(id);
      case CmEvent.Established established -> {
        connected.add(nodes.get(id));
        if (established.ud() != null) {
          nodes.get(id).reach(established.ud());
        }
      }
      case CmEvent.Disconnected over -> {
        ConnectionEvents.disconnectQuietly(id);
        ended++;
      }
      case CmEvent.TimewaitExit over -> {}
      default ->
          throw ToolFailure.atRunTime(
              "%s: event: %s, error: %d, %s", name, event.type().text(), event.status(), event);
    }
  }

  private void request(CmId id) {
    if (nodes.size() == options.connections()) {
      speech.say(name + ": failing connection request");
      id.close();
      return;
    }
    ConnectionEvents.accept(node(id).id(), new ConnParam());
    if (datagrams()) {
      connected.add(nodes.get(id));
    }
  }

  private MessageNode node(CmId id) {
    MessageNode node = new MessageNode(id, options.count(), options.size(), 0, wait);
    nodes.put(id, node);
    node.postReceives();
    return node;
  }

  private void transfer(boolean first) {
    if (options.count() == 0) {
      return;
    }
    List<Runnable> steps = new ArrayList<>();
    Runnable send =
        () -> {
          speech.say(first ? "initiating data transfers" : "sending replies");
          each(MessageNode::postSends);
          if (first && !datagrams()) {
            speech.say("completing sends");
          }
          each(MessageNode::awaitSends);
        };
    Runnable receive =
        () -> {
          speech.say("receiving data transfers");
          each(MessageNode::awaitRequests);
        };
    steps.addAll(first ? List.of(send, receive) : List.of(receive, send));
    steps.forEach(Runnable::run);
    speech.say("data transfers complete");
  }

  private void each(Consumer<MessageNode> step) {
    nodes.values().forEach(step);
  }

  private void migrate(RdmaCm cm, CmId listener) {
    speech.say("migrating to new event channel");
    EventChannel to = cm.createEventChannel();
    if (listener != null) {
      listener.migrate(to);
    }
    nodes.keySet().forEach(id -> id.migrate(to));
    EventChannel before = channel;
    channel = to;
    before.close();
  }

  private String undone() {
    return Wording.of("%d of %d connections were disconnected", ended, nodes.size());
  }

  /** The server ends the connections, the client waits for that; a killed server does not do it. */
  private void disconnect(boolean server) {
    if (server) {
      speech.say(name + ": disconnecting");
      nodes.keySet().forEach(ConnectionEvents::disconnectQuietly);
    }
    while (ended < nodes.size()) {
      boolean heard = step(server ? Long.MAX_VALUE : NOTE_NS);
      if (!heard) {
        each(node -> node.ask(this::undone));
      }
    }
    if (server) {
      speech.say("disconnected");
    }
  }
}
