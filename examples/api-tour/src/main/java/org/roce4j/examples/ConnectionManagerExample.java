package org.roce4j.examples;

import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RdmaVerbs;

/**
 * A client and a server that find each other by address and port, as the manual of librdmacm has
 * them: the client in twenty steps, the server in eighteen. Each may run against a C program.
 */
public final class ConnectionManagerExample {
  private static final String PORT = "7471";
  private static final int TIMEOUT_MS = 2000;
  private static final int SIZE = 16;

  private ConnectionManagerExample() {}

  /** Plays on two emulated devices. */
  public static void main(String[] args) {
    try (Context first = Verbs.device("roce0").open();
        Context second = Verbs.device("roce1").open()) {
      run(first, second, System.out);
    }
  }

  static void run(Context client, Context server, PrintStream out) {
    String address = server.queryGidTable().getFirst().gid().addressText();
    CompletableFuture<Void> listening = new CompletableFuture<>();
    CompletableFuture<Void> served =
        CompletableFuture.runAsync(() -> serve(server, address, listening, out));
    listening.join();
    call(client, address, out);
    served.join();
  }

  /** The passive side; the numbers are the manual's. */
  static void serve(
      Context device, String address, CompletableFuture<Void> listening, PrintStream out) {
    try (RdmaCm cm = RdmaCm.open(device);
        EventChannel channel = cm.createEventChannel(); // 1
        CmId listener = channel.createId(PortSpace.TCP)) { // 2
      listener.bindAddr(new InetSocketAddress(address, Integer.parseInt(PORT))); // 3
      listener.listen(0); // 4
      listening.complete(null);
      CmEvent.ConnectRequest request = next(channel, CmEvent.ConnectRequest.class); // 5
      try (CmId id = request.id()) {
        id.createQp(null, queuePair()); // 6
        try (Buffers buffers = new Buffers(id)) {
          RdmaVerbs.postRecv(id, 1, buffers.in.memory(), buffers.in);
          id.accept(new ConnParam()); // 7
          request.ack(); // 8
          next(channel, CmEvent.Established.class).ack(); // 9, 10
          RdmaVerbs.getRecvComp(id, buffers.completion); // 11
          buffers.demandSuccess();
          out.println("the server received: " + buffers.in.memory().getString(0));
          buffers.out.memory().setString(0, "hello, client");
          RdmaVerbs.postSend(id, 2, buffers.out.memory(), buffers.out, 0);
          // Success is not demanded: the client leaves once it has the message, and its ACK may be
          // lost.
          RdmaVerbs.getSendComp(id, buffers.completion);
          next(channel, CmEvent.Disconnected.class).ack(); // 12, 13
          id.disconnect(); // 14
        } // 15: the queue pair
      } // 16: the id of the connection
    } // 17, 18: the id that listens, the channel
  }

  /** The active side. */
  static void call(Context device, String address, PrintStream out) {
    AddrInfo there = AddrInfo.resolve(address, PORT, null); // 1
    try (RdmaCm cm = RdmaCm.open(device);
        EventChannel channel = cm.createEventChannel(); // 2
        CmId id = channel.createId(PortSpace.TCP)) { // 3
      id.resolveAddr(null, there.dstAddr(), TIMEOUT_MS); // 4
      next(channel, CmEvent.AddrResolved.class).ack(); // 5, 6
      id.createQp(null, queuePair()); // 7
      id.resolveRoute(TIMEOUT_MS); // 8
      next(channel, CmEvent.RouteResolved.class).ack(); // 9, 10
      try (Buffers buffers = new Buffers(id)) {
        RdmaVerbs.postRecv(id, 1, buffers.in.memory(), buffers.in);
        id.connect(new ConnParam()); // 11
        next(channel, CmEvent.Established.class).ack(); // 12, 13
        buffers.out.memory().setString(0, "hello, server"); // 14
        RdmaVerbs.postSend(id, 2, buffers.out.memory(), buffers.out, 0);
        RdmaVerbs.getSendComp(id, buffers.completion);
        buffers.demandSuccess();
        RdmaVerbs.getRecvComp(id, buffers.completion);
        buffers.demandSuccess();
        out.println("the client received: " + buffers.in.memory().getString(0));
        id.disconnect(); // 15
        next(channel, CmEvent.Disconnected.class).ack(); // 16, 17
      } // 18: the queue pair
    } // 19, 20: the id, the channel
  }

  private static QpInitAttr queuePair() {
    return new QpInitAttr().cap(new QpCapabilities(1, 1, 1, 1)).sqSigAll(true);
  }

  /** Any other event has the reason in words. */
  private static <E extends CmEvent> E next(EventChannel channel, Class<E> wanted) {
    CmEvent event = channel.getCmEvent();
    if (!wanted.isInstance(event)) {
      event.ack();
      throw new IllegalStateException(event.toString());
    }
    return wanted.cast(event);
  }

  /** Registered memory for a message each way. */
  private static final class Buffers implements AutoCloseable {
    private final CmId id;
    private final Arena arena = Arena.ofShared();
    private final MemoryRegion in;
    private final MemoryRegion out;
    private final WorkCompletions completion = new WorkCompletions(arena, 1);

    Buffers(CmId id) {
      this.id = id;
      in = RdmaVerbs.regMsgs(id, memory());
      out = RdmaVerbs.regMsgs(id, memory());
    }

    private MemorySegment memory() {
      return arena.allocate(SIZE);
    }

    void demandSuccess() {
      if (completion.status(0) != WcStatus.SUCCESS) {
        throw new IllegalStateException(completion.toString(0));
      }
    }

    @Override
    public void close() {
      id.destroyQp();
      in.close();
      out.close();
      arena.close();
    }
  }
}
