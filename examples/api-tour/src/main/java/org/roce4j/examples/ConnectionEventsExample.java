package org.roce4j.examples;

import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/**
 * Both sides of a connection by events alone: no call waits, so one thread plays both. Seven steps
 * make each side ready, and each side says something to the other on the way.
 */
public final class ConnectionEventsExample {
  private static final int PORT = 7471;
  private static final int TIMEOUT_MS = 2000;

  private ConnectionEventsExample() {}

  /** Plays on two emulated devices. */
  public static void main(String[] args) {
    try (Context first = Verbs.device("roce0").open();
        Context second = Verbs.device("roce1").open()) {
      run(first, second, System.out);
    }
  }

  static void run(Context client, Context server, PrintStream out) {
    InetSocketAddress at = new InetSocketAddress(server.queryGid(1, 0).toInetAddress(), PORT);
    try (RdmaCm calling = RdmaCm.open(client);
        RdmaCm called = RdmaCm.open(server)) {
      EventChannel here = calling.createEventChannel();
      EventChannel there = called.createEventChannel();
      CmId listener = there.createId(PortSpace.TCP);
      listener.bindAddr(at);
      listener.listen(1);

      CmId active = here.createId(PortSpace.TCP);
      active.resolveAddr(null, at, TIMEOUT_MS);
      next(here, CmEvent.AddrResolved.class, "client", out);
      active.resolveRoute(TIMEOUT_MS);
      next(here, CmEvent.RouteResolved.class, "client", out);
      active.createQp(null, queuePair());
      active.connect(new ConnParam().privateData(bytes("may I?")));

      CmId passive = next(there, CmEvent.ConnectRequest.class, "server", out).id();
      passive.createQp(null, queuePair());
      passive.accept(new ConnParam().privateData(bytes("you may")));
      next(here, CmEvent.Established.class, "client", out);
      next(there, CmEvent.Established.class, "server", out);

      active.disconnect();
      next(there, CmEvent.Disconnected.class, "server", out);
      passive.disconnect();
      next(here, CmEvent.Disconnected.class, "client", out);
    }
  }

  private static QpInitAttr queuePair() {
    return new QpInitAttr().cap(new QpCapabilities(1, 1, 1, 1));
  }

  /** An event of another kind has the reason in words. */
  private static <E extends CmEvent> E next(
      EventChannel channel, Class<E> wanted, String who, PrintStream out) {
    try (CmEvent event = channel.getCmEvent()) {
      if (!wanted.isInstance(event)) {
        throw new IllegalStateException(event.toString());
      }
      String said = new String(event.privateData(), StandardCharsets.US_ASCII).trim();
      out.println(who + ": " + event.type() + (said.isEmpty() ? "" : ", the peer says " + said));
      return wanted.cast(event);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
