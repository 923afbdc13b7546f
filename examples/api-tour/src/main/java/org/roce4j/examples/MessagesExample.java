package org.roce4j.examples;

import java.io.PrintStream;
import org.roce4j.connect.Connection;
import org.roce4j.connect.ExposedBuffer;
import org.roce4j.connect.Listener;
import org.roce4j.connect.RemoteBuffer;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Verbs;

/**
 * Two programs that find each other by a TCP port: records go to and fro, and the client counts in
 * the server's memory. Here each program is a thread.
 */
public final class MessagesExample {
  /** What the client asks for. */
  record Order(String symbol, int count) {}

  /** What the server answers. */
  record Fill(String symbol, int count, double price) {}

  private MessagesExample() {}

  /** Plays on two emulated devices. */
  public static void main(String[] args) throws InterruptedException {
    try (Context server = Verbs.device("roce0").open();
        Context client = Verbs.device("roce1").open()) {
      run(server, client, System.out);
    }
  }

  static void run(Context serverDevice, Context clientDevice, PrintStream out)
      throws InterruptedException {
    try (Listener listener = Connection.listen(serverDevice, 0)) {
      Thread server = Thread.ofPlatform().name("server").start(() -> serve(listener));
      order(clientDevice, listener.port(), out);
      server.join();
    }
  }

  private static void serve(Listener listener) {
    try (Connection client = listener.accept()) {
      ExposedBuffer counter = client.expose(Long.BYTES);
      client.send(counter.key());
      Order order = client.receive(Order.class);
      client.send(new Fill(order.symbol(), order.count(), 42.5));
      client.receiveString(); // until the client has counted
    }
  }

  private static void order(Context device, int port, PrintStream out) {
    try (Connection server = Connection.connect(device, "127.0.0.1", port)) {
      RemoteBuffer counter = server.receive(RemoteBuffer.class);
      server.send(new Order("ROCE", 100));
      out.println("the server answered: " + server.receive(Fill.class));
      server.fetchAndAdd(counter, 0, 100);
      out.println("its counter is now:  " + server.fetchAndAdd(counter, 0, 0));
      server.send("bye");
    }
  }
}
