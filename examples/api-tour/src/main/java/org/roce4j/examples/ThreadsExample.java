package org.roce4j.examples;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.roce4j.connect.Connection;
import org.roce4j.connect.Listener;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Verbs;

/**
 * A server with a thread for each of its clients, and a thread for each client: two threads, the
 * threads of a pool, or virtual threads. Threads of any kind may wait; on a virtual network time
 * waits for all of them.
 */
public final class ThreadsExample {
  private static final int QUESTIONS = 10;

  private ThreadsExample() {}

  /** Plays on two emulated devices. */
  public static void main(String[] args) throws Exception {
    try (Context server = Verbs.device("roce0").open();
        Context client = Verbs.device("roce1").open()) {
      run(server, client, System.out);
    }
  }

  static void run(Context server, Context client, PrintStream out) throws Exception {
    try (ExecutorService two = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      out.println("two threads:     " + answers(server, client, 1, two) + " answers");
    }
    try (ExecutorService pool = Executors.newFixedThreadPool(8)) { // all of them can wait at once
      out.println("a pool:          " + answers(server, client, 4, pool) + " answers");
    }
    try (ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
      out.println("virtual threads: " + answers(server, client, 8, virtual) + " answers");
    }
  }

  /** How many right answers the clients get. */
  private static int answers(Context server, Context client, int clients, ExecutorService threads)
      throws InterruptedException, ExecutionException {
    Queue<Connection> open = new ConcurrentLinkedQueue<>();
    try (Listener listener = Connection.listen(server, 0)) {
      List<Future<?>> served = new ArrayList<>();
      List<Future<Integer>> asked = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        int name = i;
        served.add(threads.submit(() -> serve(listener, open)));
        asked.add(threads.submit(() -> ask(client, listener.port(), name, open)));
      }
      int answers = 0;
      for (Future<Integer> each : asked) {
        answers += each.get();
      }
      for (Future<?> each : served) {
        each.get();
      }
      return answers;
    } finally {
      // When both ends are done: a lost acknowledgement of the last message is not repeated by an
      // end that has gone.
      open.forEach(Connection::close);
    }
  }

  private static void serve(Listener listener, Queue<Connection> open) {
    Connection client = listener.accept();
    open.add(client);
    for (int i = 0; i < QUESTIONS; i++) {
      client.send("you said: " + client.receiveString());
    }
  }

  private static int ask(Context device, int port, int name, Queue<Connection> open) {
    Connection server = Connection.connect(device, "127.0.0.1", port);
    open.add(server);
    int right = 0;
    for (int i = 0; i < QUESTIONS; i++) {
      String question = "client " + name + ", question " + i;
      server.send(question);
      right += server.receiveString().equals("you said: " + question) ? 1 : 0;
    }
    return right;
  }
}
